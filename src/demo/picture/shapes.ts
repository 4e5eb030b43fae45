import type { Draw } from "./pen.js";
import { CAMP_SHAPES } from "./shapes-camp.js";
import { CLOTHING_SHAPES } from "./shapes-clothing.js";
import { INSTRUMENT_SHAPES } from "./shapes-instruments.js";
import { KITCHEN_SHAPES } from "./shapes-kitchen.js";
import { TRAIL_SHAPES } from "./shapes-trail.js";
import { WHEELS_AND_WATER_SHAPES } from "./shapes-wheels-and-water.js";

const SHAPES = {
  ...CAMP_SHAPES,
  ...KITCHEN_SHAPES,
  ...TRAIL_SHAPES,
  ...CLOTHING_SHAPES,
  ...INSTRUMENT_SHAPES,
  ...WHEELS_AND_WATER_SHAPES,
} as const satisfies Record<string, Draw>;

/** What a picture can show. */
export type PictureShape = keyof typeof SHAPES;

export function isPictureShape(text: string): text is PictureShape {
  return Object.hasOwn(SHAPES, text);
}

export function drawOf(shape: PictureShape): Draw {
  return SHAPES[shape];
}
