import type { Random } from "../random.js";
import { mixColours } from "./palette.js";
import { area, line, oval, repeat } from "./pen.js";

/** Sky and ground of each department's pictures, hexadecimal RGB. */
const GROUNDS: Readonly<Record<string, readonly [string, string]>> = {
  camp: ["#fbeedd", "#e3d3b4"],
  trail: ["#eef4ec", "#c9d9c3"],
  clothing: ["#f3eff4", "#dcd4e0"],
  "wheels-and-water": ["#e9f3f7", "#bfd9e4"],
  "care-and-safety": ["#f7f2e6", "#e2d6c0"],
};

/**
 * The background of a picture: a quiet landscape of the article's department, tinted by its colour. Where hills, disc
 * and waves lie comes from `random`, so no two articles stand in the same place.
 */
export function drawScene(department: string, colour: string, random: Random): string {
  const [sky, ground] = GROUNDS[department] ?? ["#f4f1ea", "#ddd6c8"];
  const top = mixColours(sky, colour, 0.08);
  const low = mixColours(ground, colour, 0.14);
  const mid = mixColours(top, low, 0.5);
  const radius = at(random, 30, 44);
  const disc = oval(at(random, 70, 330), at(random, 70, 130), radius, radius, mixColours(top, "#ffffff", 0.55));
  const back = `<rect width="400" height="400" fill="${top}"/>${disc}`;
  switch (department) {
    case "trail":
      return `${back}${peaks(random, 236, 74, mid)}${peaks(random, 292, 44, low)}<rect y="292" width="400" height="108" fill="${low}"/>`;
    case "wheels-and-water":
      return `${back}${wave(random, 250, mid)}${wave(random, 286, low)}${wave(random, 336, mixColours(low, "#ffffff", 0.25))}`;
    case "clothing":
      return `${back}${oval(at(random, 188, 212), at(random, 196, 214), at(random, 148, 164), at(random, 148, 160), mid)}${hill(random, 334, low)}`;
    case "care-and-safety":
      return `${back}${contours(random, mid)}${hill(random, 318, low)}`;
    default:
      return `${back}${hill(random, 228, mid)}${pines(random, 250, mixColours(mid, "#4c6b55", 0.3))}${hill(random, 288, low)}`;
  }
}

function at(random: Random, from: number, to: number): number {
  return Math.round(from + random.next() * (to - from));
}

function hill(random: Random, height: number, fill: string): string {
  const points = [at(random, -24, 12), at(random, -36, -8), at(random, -8, 28), at(random, -20, 12)].map(
    (by) => height + by,
  );
  return area(`M0 ${points[0]} Q100 ${points[1]} 200 ${points[2]} T400 ${points[3]} L400 400 L0 400 Z`, fill);
}

function peaks(random: Random, base: number, height: number, fill: string): string {
  const tops = [0, 1, 2, 3].map(
    (i) =>
      `L${40 + i * 110 + at(random, -20, 20)} ${base - at(random, height / 2, height * 1.5)} L${96 + i * 110} ${base + at(random, -8, 10)}`,
  );
  return area(`M-40 ${base} ${tops.join(" ")} L440 ${base} L440 400 L-40 400 Z`, fill);
}

function wave(random: Random, height: number, fill: string): string {
  const shift = at(random, 0, 79);
  return area(`M${-shift} ${height} ${repeat(6, () => "q20 -12 40 0 t40 0 ")}L480 400 L${-shift} 400 Z`, fill);
}

function pines(random: Random, base: number, fill: string): string {
  return repeat(5, () => {
    const x = at(random, 0, 1) === 0 ? at(random, 14, 110) : at(random, 290, 386);
    const height = at(random, 26, 52);
    return area(`M${x} ${base - height} L${x + 12} ${base + 10} L${x - 12} ${base + 10} Z`, fill);
  });
}

function contours(random: Random, colour: string): string {
  const x = at(random, 120, 280);
  const y = at(random, 120, 220);
  return repeat(5, (i) => {
    const r = 46 + i * 40;
    return line(
      `M${x - r} ${y} Q${x - r} ${y - r * 0.9} ${x} ${y - r * 0.7} T${x + r} ${y + 10} Q${x + r * 0.8} ${y + r} ${x} ${y + r * 0.8} T${x - r} ${y} Z`,
      colour,
      5,
    );
  });
}
