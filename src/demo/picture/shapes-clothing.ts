import type { Shades } from "./palette.js";
import { area, box, type Draw, label, line, oval, repeat, stitches } from "./pen.js";

/** Body and sleeves that jacket, fleece, down jacket and shirts share. */
function top(c: Shades, sleeve: "long" | "short" | "none"): string {
  const body = area("M146 122 Q200 142 254 122 L276 150 L270 308 Q200 318 130 308 L124 150 Z", c.main);
  const shade = area("M204 136 Q236 132 254 122 L276 150 L270 308 Q236 314 204 314 Z", c.dark);
  if (sleeve === "none") return body + shade;
  const end = sleeve === "long" ? 288 : 206;
  const left = area(
    `M146 122 L108 142 Q92 154 ${sleeve === "long" ? "76" : "84"} ${end - 8} L${sleeve === "long" ? 108 : 122} ${end + 6} L136 188 Z`,
    c.light,
  );
  const right = area(
    `M254 122 L292 142 Q308 154 ${sleeve === "long" ? "324" : "316"} ${end - 8} L${sleeve === "long" ? 292 : 278} ${end + 6} L264 188 Z`,
    c.deep,
  );
  return left + right + body + shade;
}

const jacket: Draw = (c, style) =>
  top(c, "long") +
  area("M150 124 Q148 72 200 70 Q252 72 250 124 Q200 150 150 124 Z", c.dark) +
  area("M166 122 Q166 90 200 88 Q234 90 234 122 Q200 140 166 122 Z", c.deep) +
  line("M200 134 L200 312", c.accent, 6) +
  line("M144 236 L172 254 M256 236 L228 254", c.accent, 5) +
  line("M80 274 L106 284 M320 274 L294 284", c.accent, 5) +
  (style === 1
    ? area("M124 150 L146 122 Q200 142 254 122 L276 150 L274 186 L126 186 Z", c.light) +
      line("M200 136 L200 190", c.accent, 6)
    : "") +
  (style === 2 ? stitches("M132 294 Q200 304 268 294", c.pale, 4) : "") +
  label(236, 196, c);

const puffer: Draw = (c) =>
  top(c, "long") +
  repeat(6, (i) => line(`M${126 + i} ${164 + i * 26} Q200 ${180 + i * 26} ${274 - i} ${164 + i * 26}`, c.deep, 4)) +
  repeat(4, (i) =>
    line(
      `M${104 - i * 7} ${168 + i * 28} L${134 - i * 7} ${180 + i * 28} M${296 + i * 7} ${168 + i * 28} L${266 + i * 7} ${180 + i * 28}`,
      c.dark,
      4,
    ),
  ) +
  area("M154 126 Q154 92 200 92 Q246 92 246 126 Q200 146 154 126 Z", c.dark) +
  line("M200 104 L200 312", c.accent, 6) +
  label(236, 206, c);

const fleece: Draw = (c, style) =>
  top(c, "long") +
  area("M160 126 L164 92 Q200 84 236 92 L240 126 Q200 144 160 126 Z", c.dark) +
  line(style === 0 ? "M200 96 L200 312" : "M200 96 L200 190", c.accent, 6) +
  box(216, 176, 44, 40, 6, c.accent) +
  repeat(5, (i) => repeat(4, (k) => line(`M${140 + k * 34 + (i % 2) * 14} ${168 + i * 30} q5 7 10 0`, c.pale, 3))) +
  line("M132 300 Q200 310 268 300 M80 272 L108 282 M320 272 L292 282", c.accent, 7);

const vest: Draw = (c) =>
  top(c, "none") +
  repeat(5, (i) => line(`M${126 + i} ${172 + i * 28} Q200 ${186 + i * 28} ${274 - i} ${172 + i * 28}`, c.deep, 4)) +
  area("M154 126 Q154 88 200 88 Q246 88 246 126 Q200 146 154 126 Z", c.dark) +
  line("M124 150 Q146 170 138 210 M276 150 Q254 170 262 210", c.accent, 6) +
  line("M200 100 L200 312", c.accent, 6) +
  label(236, 216, c);

const shirt: Draw = (c, style) =>
  top(c, "short") +
  area("M160 126 Q200 168 240 126 Q220 136 200 136 Q180 136 160 126 Z", c.deep) +
  line("M160 126 Q200 166 240 126", style === 1 ? c.accent : c.pale, 6) +
  (style === 0 ? line("M86 196 L122 208 M314 196 L278 208", c.accent, 5) : "") +
  (style === 1 ? line("M128 220 L272 220 M128 238 L272 238", c.light, 7) : label(160, 290, c));

const longsleeve: Draw = (c, style) =>
  top(c, "long") +
  (style === 1
    ? area("M150 124 Q148 78 200 76 Q252 78 250 124 Q200 150 150 124 Z", c.light) +
      area("M168 122 Q168 96 200 94 Q232 96 232 122 Q200 138 168 122 Z", c.dark)
    : area("M160 126 Q200 156 240 126 Q220 136 200 136 Q180 136 160 126 Z", c.deep)) +
  line("M146 124 Q140 200 134 304 M254 124 Q260 200 266 304", c.light, 3) +
  (style === 2
    ? area("M156 122 L200 152 L176 174 Z M244 122 L200 152 L224 174 Z", c.pale) +
      box(218, 190, 40, 40, 5, c.light) +
      line("M200 156 L200 310", c.deep, 4) +
      repeat(5, (i) => oval(200, 176 + i * 30, 5, 5, c.accent))
    : "") +
  line("M160 128 Q200 156 240 128 M82 270 L108 280 M318 270 L292 280", c.accent, 6) +
  label(160, 288, c);

const trousers: Draw = (c, style) =>
  area("M138 92 L262 92 L282 312 L222 312 L202 170 L196 170 L178 312 L118 312 Z", c.main) +
  area("M200 92 L262 92 L282 312 L222 312 L202 170 L200 170 Z", c.dark) +
  area("M138 92 L262 92 L264 114 L136 114 Z", c.deep) +
  line("M150 122 L166 156 M250 122 L234 156", c.accent, 5) +
  (style === 0 ? line("M128 116 L122 308 M272 116 L278 308", c.accent, 5) : "") +
  (style === 1 ? stitches("M132 214 L190 214 M210 214 L270 214", c.pale, 4) : "") +
  (style === 2 ? area("M122 266 L184 266 L178 312 L118 312 Z M216 266 L278 266 L282 312 L222 312 Z", c.deep) : "") +
  oval(200, 103, 6, 6, c.accent);

const shorts: Draw = (c, style) =>
  area("M126 132 L274 132 L308 286 L222 298 L204 208 L196 208 L178 298 L92 286 Z", c.main) +
  area("M200 132 L274 132 L308 286 L222 298 L204 208 L200 208 Z", c.dark) +
  area("M126 132 L274 132 L278 156 L122 156 Z", c.accent) +
  (style === 0
    ? line("M112 166 L98 282 M288 166 L302 282", c.light, 6)
    : stitches("M98 272 L176 284 M224 284 L302 272", c.pale, 4)) +
  line("M200 156 L200 208", c.deep, 4);

const leggings: Draw = (c) =>
  area(
    "M146 86 L254 86 Q266 190 254 312 L216 312 Q212 220 202 160 L198 160 Q188 220 184 312 L146 312 Q134 190 146 86 Z",
    c.main,
  ) +
  area("M200 86 L254 86 Q266 190 254 312 L216 312 Q212 220 202 160 L200 160 Z", c.dark) +
  area("M145 86 L255 86 L257 108 L143 108 Z", c.accent) +
  stitches("M148 116 Q142 210 154 304 M252 116 Q258 210 246 304", c.pale, 3) +
  line("M148 300 L184 300 M216 300 L252 300", c.light, 5);

const poncho: Draw = (c) =>
  area("M200 96 Q244 100 262 140 L346 286 Q200 330 54 286 L138 140 Q156 100 200 96 Z", c.main) +
  area("M206 96 Q246 102 262 140 L346 286 Q276 310 206 312 Z", c.dark) +
  area("M160 138 Q158 88 200 86 Q242 88 240 138 Q200 160 160 138 Z", c.light) +
  area("M174 136 Q174 106 200 104 Q226 106 226 136 Q200 148 174 136 Z", c.deep) +
  line("M200 152 L200 214", c.accent, 6) +
  stitches("M72 280 Q200 316 328 280", c.pale, 4) +
  repeat(4, (i) => area(`M${78 + i * 82} ${120 + (i % 2) * 16} q9 15 0 20 q-9 -5 0 -20 Z`, "#7db4d6"));

const umbrella: Draw = (c) =>
  line("M200 96 L200 286 Q200 314 176 312 Q158 308 160 290", c.ink, 8) +
  area(
    "M62 214 Q74 104 200 100 Q326 104 338 214 Q314 192 290 214 Q268 190 246 214 Q222 190 200 214 Q178 190 154 214 Q132 190 110 214 Q86 192 62 214 Z",
    c.main,
  ) +
  area("M200 100 Q326 104 338 214 Q314 192 290 214 Q268 190 246 214 Q242 140 200 100 Z", c.dark) +
  area("M200 100 Q158 140 154 214 Q178 190 200 214 Q222 190 246 214 Q242 140 200 100 Z", c.light) +
  line("M200 84 L200 102", c.ink, 6) +
  line("M160 290 Q158 310 176 312", c.accent, 12);

const hat: Draw = (c) =>
  oval(200, 256, 146, 42, c.dark) +
  oval(200, 248, 146, 40, c.main) +
  area("M116 246 Q118 138 176 134 Q200 146 224 134 Q282 138 284 246 Q200 278 116 246 Z", c.light) +
  area("M214 140 Q282 138 284 246 Q252 262 214 264 Z", c.main) +
  area("M117 222 Q200 254 283 222 L284 246 Q200 278 116 246 Z", c.accent) +
  stitches("M66 250 Q200 304 334 250", c.pale, 3);

const beanie: Draw = (c, style) =>
  style === 1
    ? area("M86 186 Q200 150 314 186 L308 262 Q200 230 92 262 Z", c.main) +
      area("M200 168 Q260 168 314 186 L308 262 Q256 246 200 246 Z", c.dark) +
      repeat(5, (i) => area(`M${112 + i * 40} 216 l20 -16 l20 16 l-20 16 Z`, i % 2 === 0 ? c.accent : c.pale)) +
      line("M88 194 Q200 158 312 194 M92 254 Q200 222 308 254", c.light, 5)
    : oval(200, 98, 28, 28, c.accent) +
      repeat(6, (i) =>
        line(
          `M200 98 L${Math.round(200 + 27 * Math.cos(i * 1.05))} ${Math.round(98 + 27 * Math.sin(i * 1.05))}`,
          c.white,
          3,
        ),
      ) +
      area("M102 240 Q98 116 200 114 Q302 116 298 240 Z", c.main) +
      area("M208 114 Q302 118 298 240 L208 240 Z", c.dark) +
      repeat(6, (i) => line(`M${126 + i * 30} 236 Q${130 + i * 28} 160 ${176 + i * 10} 124`, c.light, 3)) +
      box(90, 230, 220, 68, 20, c.deep) +
      repeat(9, (i) => line(`M${110 + i * 23} 240 L${110 + i * 23} 288`, c.main, 6));

const gloves: Draw = (c, style) => {
  const hand = (x: number, flip: number, fill: string, shade: string) =>
    style === 1
      ? area(
          `M${x - 44} 306 L${x - 48} 200 Q${x - 46} 116 ${x} 112 Q${x + 44} 116 ${x + 44} 200 L${x + 42} 306 Z`,
          fill,
        ) +
        area(`M${x + 44 * flip} 200 q${34 * flip} 4 ${34 * flip} 36 q${-4 * flip} 26 ${-36 * flip} 30 Z`, shade) +
        box(x - 50, 262, 98, 50, 10, c.accent)
      : repeat(4, (i) => box(x - 45 + i * 23, 118 + Math.abs(1.4 - i) * 14, 21, 106, 10, i % 2 === 0 ? fill : shade)) +
        box(x - 46, 186, 92, 110, 20, fill) +
        area(`M${x + 40 * flip} 216 q${36 * flip} -24 ${44 * flip} 4 q${-4 * flip} 34 ${-46 * flip} 54 Z`, shade) +
        box(x - 42, 278, 84, 36, 8, c.accent);
  return (
    hand(140, -1, c.main, c.dark) +
    hand(262, 1, c.light, c.main) +
    line("M106 300 L172 300 M230 300 L296 300", c.white, 3)
  );
};

const neck: Draw = (c) =>
  area("M124 128 Q200 100 276 128 Q262 200 288 288 Q200 326 112 288 Q138 200 124 128 Z", c.main) +
  area("M210 112 Q250 114 276 128 Q262 200 288 288 Q252 304 210 308 Z", c.dark) +
  oval(200, 130, 76, 22, c.deep) +
  repeat(4, (i) =>
    line(
      `M${132 - i * 3} ${176 + i * 30} Q200 ${206 + i * 30} ${268 + i * 3} ${176 + i * 30}`,
      i % 2 === 0 ? c.accent : c.light,
      6,
    ),
  );

const socks: Draw = (c, style) => {
  const sock = (x: number, fill: string, shade: string) =>
    area(
      `M${x} 96 L${x + 74} 96 L${x + 72} 214 Q${x + 74} 232 ${x + 106} 256 Q${x + 132} 280 ${x + 108} 300 Q${x + 90} 314 ${x + 62} 304 L${x + 14} 274 Q${x - 4} 260 ${x} 226 Z`,
      fill,
    ) +
    area(`M${x} 96 L${x + 74} 96 L${x + 74} 126 L${x} 126 Z`, shade) +
    area(`M${x} 226 Q${x + 34} 216 ${x + 40} 256 Q${x + 36} 280 ${x + 22} 279 Q${x - 4} 262 ${x} 226 Z`, c.accent) +
    area(
      `M${x + 98} 250 Q${x + 132} 276 ${x + 108} 300 Q${x + 92} 313 ${x + 74} 307 Q${x + 70} 270 ${x + 98} 250 Z`,
      c.accent,
    ) +
    (style === 1 ? repeat(3, (i) => line(`M${x + 4} ${146 + i * 22} L${x + 70} ${146 + i * 22}`, c.pale, 6)) : "") +
    (style === 0 ? repeat(4, (i) => line(`M${x + 12 + i * 16} 134 L${x + 12 + i * 16} 210`, shade, 4)) : "") +
    (style === 2 ? repeat(3, (i) => area(`M${x + 36} ${142 + i * 26} l12 10 l-12 10 l-12 -10 Z`, c.pale)) : "");
  return sock(184, c.dark, c.deep) + sock(96, c.main, c.dark);
};

export const CLOTHING_SHAPES = {
  jacket,
  puffer,
  fleece,
  vest,
  shirt,
  longsleeve,
  trousers,
  shorts,
  leggings,
  poncho,
  umbrella,
  hat,
  beanie,
  gloves,
  neck,
  socks,
} as const satisfies Record<string, Draw>;
