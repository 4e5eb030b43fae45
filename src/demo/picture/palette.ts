/** Colour and contrasting accent of an article, as hexadecimal RGB. */
const COLOURS = {
  moss: ["#738f4c", "#e8b04a"],
  pine: ["#2f6153", "#e2a24a"],
  slate: ["#5d7182", "#e27a4a"],
  sky: ["#69aed6", "#f2c14e"],
  lake: ["#2b739f", "#f0b14a"],
  ember: ["#e0673c", "#3c5a66"],
  rust: ["#a9532f", "#e6bd7a"],
  sand: ["#d3b88d", "#a9532f"],
  plum: ["#7c4a6e", "#e9a86a"],
  charcoal: ["#444c55", "#e0673c"],
  sun: ["#ecb63f", "#3f6b6a"],
  clay: ["#c07f5e", "#3f5f55"],
  heather: ["#9a87b9", "#e9c46a"],
  snow: ["#dfe6ea", "#3f7f9f"],
  berry: ["#b23a58", "#f0c069"],
} as const;

/** A colour an article can have, by its name in the catalogue. */
export type PictureColour = keyof typeof COLOURS;

export function isPictureColour(text: string): text is PictureColour {
  return Object.hasOwn(COLOURS, text);
}

/** The colours one picture is drawn in: shades of the article's own from pale to deep, and what all pictures share. */
export interface Shades {
  readonly pale: string;
  readonly light: string;
  readonly main: string;
  readonly dark: string;
  readonly deep: string;
  readonly accent: string;
  readonly metal: string;
  readonly steel: string;
  readonly ink: string;
  readonly white: string;
}

export function shadesOf(colour: PictureColour): Shades {
  const [main, accent] = COLOURS[colour];
  return {
    pale: mixColours(main, "#ffffff", 0.68),
    light: mixColours(main, "#ffffff", 0.32),
    main,
    dark: mixColours(main, "#1c2a38", 0.28),
    deep: mixColours(main, "#18222e", 0.58),
    accent,
    metal: "#c3ccd2",
    steel: "#8996a0",
    ink: "#2a333c",
    white: "#fbf9f4",
  };
}

/** The colour `share` (0 to 1) of the way from one hexadecimal RGB colour to another. */
export function mixColours(from: string, to: string, share: number): string {
  const channel = (at: number) => {
    const a = Number.parseInt(from.slice(at, at + 2), 16);
    const b = Number.parseInt(to.slice(at, at + 2), 16);
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
