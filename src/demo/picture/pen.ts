import type { Shades } from "./palette.js";

/**
 * Draws one kind of article on the 400 x 400 canvas of a picture, standing on about y = 312 and centred on x = 200.
 * `style` is 0, 1 or 2: small differences between articles of one kind.
 */
export type Draw = (c: Shades, style: number) => string;

/** A filled path. */
export function area(d: string, fill: string): string {
  return `<path d="${d}" fill="${fill}"/>`;
}

/** A line with round ends. */
export function line(d: string, colour: string, width = 4): string {
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
}

/** A line of stitches. */
export function stitches(d: string, colour: string, width = 2.5): string {
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-dasharray="7 6"/>`;
}

export function box(x: number, y: number, width: number, height: number, radius: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`;
}

export function oval(x: number, y: number, rx: number, ry: number, fill: string): string {
  return `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}"/>`;
}

export function ring(x: number, y: number, radius: number, colour: string, width = 4): string {
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="none" stroke="${colour}" stroke-width="${width}"/>`;
}

/** Parts turned by degrees about a point. */
export function turned(degrees: number, x: number, y: number, ...parts: readonly string[]): string {
  return `<g transform="rotate(${degrees} ${x} ${y})">${parts.join("")}</g>`;
}

/** Parts drawn as in a mirror at the middle of the picture. */
export function mirrored(...parts: readonly string[]): string {
  return `<g transform="translate(400 0) scale(-1 1)">${parts.join("")}</g>`;
}

/** The part `count` times, each with its number from 0. */
export function repeat(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join("");
}

/** A small sewn-on label with a peak: the mark of the house. */
export function label(x: number, y: number, c: Shades): string {
  return (
    box(x - 15, y - 9, 30, 18, 3, c.white) +
    area(`M${x - 9} ${y + 5} L${x - 2} ${y - 5} L${x + 2} ${y} L${x + 4} ${y - 2} L${x + 9} ${y + 5} Z`, c.accent)
  );
}
