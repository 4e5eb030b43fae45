import { area, box, type Draw, label, line, mirrored, oval, repeat, ring, stitches, turned } from "./pen.js";

const tentDome: Draw = (c, style) =>
  line("M76 300 L44 312 M324 300 L356 312 M112 214 L48 306 M288 214 L352 306", c.steel, 2.5) +
  area("M66 306 Q112 128 200 118 Q288 128 334 306 Z", c.main) +
  area("M200 118 Q288 128 334 306 L236 306 Q240 200 200 118 Z", c.dark) +
  area("M200 118 Q146 190 134 306 L236 306 Q240 200 200 118 Z", c.deep) +
  area("M200 118 Q146 190 134 306 L160 306 Q168 190 200 118 Z", c.pale) +
  line("M200 118 Q112 128 66 306 M200 118 Q288 128 334 306", c.light, 5) +
  line("M200 118 Q240 200 236 306", c.accent, 5) +
  (style === 0 ? area("M106 206 Q124 190 142 190 Q136 204 130 222 Q114 220 106 206 Z", c.light) : "") +
  (style === 1 ? line("M92 248 Q112 240 128 246 M262 246 Q282 240 306 248", c.light, 5) : "") +
  (style === 2 ? area("M254 190 Q266 184 278 196 Q282 214 286 226 Q268 226 258 222 Z", c.accent) : "") +
  oval(200, 117, 8, 6, c.accent);

const tentTunnel: Draw = (c, style) =>
  line("M70 296 L40 312 M334 296 L362 312", c.steel, 2.5) +
  area("M60 306 L60 240 Q60 164 124 158 L272 146 Q344 146 344 236 L344 306 Z", c.main) +
  area("M222 306 L222 236 Q224 152 282 146 Q344 148 344 236 L344 306 Z", c.dark) +
  area("M244 306 L244 240 Q246 176 284 172 Q322 176 322 240 L322 306 Z", c.deep) +
  area("M244 306 L244 240 Q246 190 268 176 Q262 240 264 306 Z", c.pale) +
  line("M222 306 L222 236 Q224 152 282 146 M140 306 L140 232 Q142 168 176 154", c.accent, 5) +
  box(84, 214, 40, style === 1 ? 46 : 38, 8, c.pale) +
  line("M104 214 L104 252", c.light, 3) +
  box(160, 212, 42, 40, 8, c.pale) +
  line("M181 212 L181 252", c.light, 3) +
  (style === 2 ? line("M60 270 L222 270", c.light, 5) : line("M60 286 L222 286", c.dark, 5));

const tarp: Draw = (c, style) =>
  line("M140 116 L140 262 M260 116 L260 262", c.metal, 6) +
  line("M86 178 L46 312 M314 178 L354 312 M140 116 L104 246 M260 116 L296 246", c.metal, 2.5) +
  area("M86 178 Q200 204 314 178 L260 112 Q200 124 140 112 Z", c.main) +
  area("M204 120 Q232 119 260 112 L314 178 Q260 190 206 190 Z", c.dark) +
  area("M86 178 Q200 204 314 178 L310 200 Q200 226 90 200 Z", style === 1 ? c.accent : c.light) +
  line("M203 120 L206 190", c.light, 4) +
  line("M92 190 L92 312 M308 190 L308 312", c.steel, 7) +
  oval(90, 180, 7, 7, c.accent) +
  oval(310, 180, 7, 7, c.accent);

const groundsheet: Draw = (c, style) =>
  area("M84 236 L240 186 L334 248 L166 312 Z", c.main) +
  area("M84 236 L166 312 L166 322 L84 246 Z", c.deep) +
  area("M166 312 L334 248 L334 258 L166 322 Z", c.dark) +
  stitches("M98 238 L238 194 L318 247 L168 302 Z", c.pale) +
  (style === 1
    ? repeat(4, (i) => line(`M${122 + i * 38} ${227 - i * 12} L${196 + i * 34} ${290 - i * 12}`, c.light, 6))
    : area("M160 246 L226 224 L262 248 L194 274 Z", c.light)) +
  oval(88, 237, 8, 6, c.accent) +
  oval(240, 188, 8, 6, c.accent) +
  oval(330, 249, 8, 6, c.accent) +
  oval(166, 313, 8, 6, c.accent);

const pegs: Draw = (c, style) =>
  repeat(4, (i) =>
    turned(
      -21 + i * 14,
      200,
      360,
      area(`M${188} 132 L212 132 L208 290 L200 316 L192 290 Z`, i % 2 === 0 ? c.main : c.light),
      area("M200 132 L212 132 L208 290 L200 316 Z", c.dark),
      box(180, 120, 40, 18, 7, c.deep),
      style === 1
        ? repeat(4, (k) => oval(200, 170 + k * 26, 4, 6, c.deep))
        : line("M200 138 q-26 8 -14 26", c.accent, 5),
    ),
  );

const cord: Draw = (c) =>
  repeat(
    6,
    (i) =>
      `<ellipse cx="200" cy="${186 + i * 20}" rx="${96 - Math.abs(2.5 - i) * 5}" ry="30" fill="none" stroke="${i % 2 === 0 ? c.main : c.dark}" stroke-width="17"/>`,
  ) +
  line("M120 190 Q84 150 130 128 Q180 112 176 150", c.main, 13) +
  stitches("M120 190 Q84 150 130 128 Q180 112 176 150", c.pale, 4) +
  box(166, 168, 68, 150, 16, c.accent) +
  line("M178 200 L222 200 M178 286 L222 286", c.white, 4) +
  repeat(4, (i) => stitches(`M112 ${206 + i * 24} Q200 ${246 + i * 24} 288 ${206 + i * 24}`, c.pale, 3));

const sleepingBag: Draw = (c, style) =>
  turned(
    24,
    200,
    215,
    area("M134 124 Q134 62 200 62 Q266 62 266 124 L258 316 Q254 366 200 366 Q146 366 142 316 Z", c.main),
    area("M200 62 Q266 62 266 124 L258 316 Q254 366 200 366 Z", c.dark),
    oval(200, 126, 44, 48, c.deep),
    area("M160 140 Q200 168 240 140 Q240 174 200 176 Q160 174 160 140 Z", c.pale),
    line("M166 108 Q200 62 234 108", c.light, 5),
    ...[0, 1, 2, 3].map((i) =>
      line(`M${141 + i} ${206 + i * 38} Q200 ${226 + i * 38} ${259 - i} ${206 + i * 38}`, c.light, 4),
    ),
    line("M240 174 L232 330", c.accent, 5),
    style === 1 ? area("M142 316 Q146 366 200 366 Q254 366 258 316 Q200 336 142 316 Z", c.accent) : "",
  );

const quilt: Draw = (c) =>
  area("M88 142 Q200 112 312 142 L326 292 Q200 330 74 292 Z", c.main) +
  area("M88 142 Q200 112 312 142 L315 176 Q200 146 85 176 Z", c.pale) +
  repeat(4, (i) =>
    line(`M${84 - i * 3} ${196 + i * 27} Q200 ${170 + i * 32} ${316 + i * 3} ${196 + i * 27}`, c.dark, 4),
  ) +
  repeat(3, (i) => line(`M${144 + i * 56} 134 Q${142 + i * 58} 220 ${138 + i * 62} 306`, c.dark, 4)) +
  line("M88 142 L66 156 M312 142 L334 156 M80 230 L58 240 M320 230 L342 240", c.accent, 6);

const mat: Draw = (c, style) =>
  turned(
    -18,
    200,
    220,
    box(78, 150, 250, 118, 34, c.dark),
    box(78, 142, 250, 116, 34, c.main),
    ...(style === 1
      ? [0, 1, 2, 3, 4, 5].map((i) => oval(112 + i * 37, i % 2 === 0 ? 176 : 222, 13, 13, c.light))
      : [0, 1, 2, 3].map((i) =>
          line(`M${104 + (i % 2) * 4} ${164 + i * 24} L${300 - (i % 2) * 4} ${164 + i * 24}`, c.light, 7),
        )),
    oval(318, 162, 9, 9, c.accent),
    label(116, 244, c),
  );

const foamMat: Draw = (c) =>
  repeat(5, (i) => {
    const y = 282 - i * 30;
    const [near, far] = i % 2 === 0 ? [c.main, c.dark] : [c.light, c.main];
    return (
      area(`M84 ${y - 4} L262 ${y + 8} L262 ${y + 30} L84 ${y + 18} Z`, near) +
      area(`M262 ${y + 8} L322 ${y - 22} L322 ${y} L262 ${y + 30} Z`, far) +
      repeat(8, (k) => oval(100 + k * 21, y + 10 + k * 1.4, 5, 5, i % 2 === 0 ? c.light : c.pale))
    );
  }) +
  area("M84 158 L148 130 L322 140 L262 170 Z", c.pale) +
  repeat(3, (i) => repeat(5, (k) => oval(126 + k * 36 + i * 15, 160 - i * 9 + k * 2, 9, 4, c.light))) +
  line("M130 161 L194 133 M130 161 L130 304", c.accent, 8);

const pillow: Draw = (c) =>
  area(
    "M92 176 Q80 152 108 156 Q200 176 292 156 Q320 152 308 176 Q292 226 308 280 Q320 302 292 300 Q200 282 108 300 Q80 302 92 280 Q108 226 92 176 Z",
    c.main,
  ) +
  area(
    "M308 176 Q292 226 308 280 Q320 302 292 300 Q200 282 108 300 Q96 300 92 294 Q200 262 276 282 Q284 220 294 158 Q320 152 308 176 Z",
    c.dark,
  ) +
  line("M140 196 Q200 210 250 198 M132 232 Q180 242 220 238", c.light, 6) +
  oval(288, 262, 10, 10, c.accent) +
  label(134, 270, c);

const liner: Draw = (c, style) =>
  turned(
    24,
    200,
    215,
    area("M142 72 L258 72 L252 340 Q250 360 228 360 L172 360 Q150 360 148 340 Z", c.main),
    area("M204 72 L258 72 L252 340 Q250 360 228 360 L204 360 Z", c.dark),
    area("M142 72 L258 72 L256 130 Q200 158 144 130 Z", c.deep),
    area("M142 72 L196 72 Q176 140 204 190 L145 160 Z", c.pale),
    line("M168 206 Q162 270 172 340 M230 180 Q236 260 228 340", c.light, 5),
    style === 1 ? stitches("M146 306 L254 306", c.accent, 5) : line("M147 312 L253 312", c.accent, 5),
  );

const headlamp: Draw = (c, style) =>
  `<ellipse cx="200" cy="196" rx="118" ry="78" fill="none" stroke="${c.deep}" stroke-width="26"/>` +
  `<path d="M83 206 A118 78 0 0 0 317 206" fill="none" stroke="${c.main}" stroke-width="34"/>` +
  `<path d="M92 216 A118 78 0 0 0 308 216" fill="none" stroke="${c.light}" stroke-width="5" stroke-dasharray="14 10"/>` +
  box(142, 226, 116, 88, 24, c.ink) +
  box(150, 232, 100, 70, 20, c.dark) +
  oval(184, 268, 27, 27, c.white) +
  oval(184, 268, 19, 19, "#f7dd8a") +
  (style === 0 ? oval(230, 268, 11, 11, c.accent) : box(222, 250, 14, 36, 6, c.accent)) +
  line("M166 226 L234 226", c.accent, 6);

const lantern: Draw = (c, style) =>
  line("M148 150 Q150 92 200 92 Q250 92 252 150", c.steel, 7) +
  oval(200, 226, 104, 104, "#f7dd8a33") +
  area("M146 156 Q200 128 254 156 L260 176 L140 176 Z", c.main) +
  area(
    style === 2 ? "M148 176 L252 176 L272 226 L252 276 L148 276 L128 226 Z" : "M146 176 L254 176 L262 276 L138 276 Z",
    "#fbe7ab",
  ) +
  (style === 1
    ? area("M200 190 Q226 226 216 250 Q210 266 200 266 Q190 266 184 250 Q174 226 200 190 Z", "#f0a03c")
    : oval(200, 228, 30, 36, "#fff6d8")) +
  line("M172 176 L168 276 M228 176 L232 276", c.steel, 4) +
  area("M132 276 L268 276 L276 312 L124 312 Z", c.main) +
  area("M200 276 L268 276 L276 312 L200 312 Z", c.dark) +
  oval(200, 294, 10, 10, c.accent);

const torch: Draw = (c, style) =>
  turned(
    -32,
    200,
    220,
    area("M296 176 L396 118 L396 322 L296 264 Z", "#f7dd8a55"),
    box(76, 190, 170, 60, 14, c.main),
    box(76, 222, 170, 28, 12, c.dark),
    ...[0, 1, 2, 3, 4].map((i) => line(`M${104 + i * 17} 196 L${104 + i * 17} 244`, c.deep, 4)),
    area("M240 188 L278 168 L300 168 L300 272 L278 272 L240 252 Z", c.deep),
    oval(300, 220, 12, 52, "#fbe7ab"),
    box(196, 182, 30, 14, 6, c.accent),
    style === 1 ? ring(66, 220, 13, c.steel, 5) : "",
  );

const powerbank: Draw = (c, style) =>
  turned(
    10,
    200,
    220,
    box(134, 112, 144, 206, 22, c.deep),
    box(126, 108, 144, 206, 22, c.main),
    box(126, 108, 144, 26, 12, c.accent),
    area("M208 166 L166 226 L194 226 L184 272 L232 206 L202 206 Z", c.white),
    ...[0, 1, 2, 3].map((i) => oval(168 + i * 20, 292, 5, 5, i <= 2 - (style === 0 ? 0 : 1) + 1 ? c.pale : c.dark)),
    box(178, 100, 40, 12, 3, c.ink),
  );

const solar: Draw = (c) =>
  repeat(3, (i) =>
    turned(
      0,
      200,
      200,
      area(
        `M${78 + i * 84} ${i % 2 === 0 ? 150 : 136} L${162 + i * 84} ${i % 2 === 0 ? 136 : 150} L${162 + i * 84} ${i % 2 === 0 ? 290 : 304} L${78 + i * 84} ${i % 2 === 0 ? 304 : 290} Z`,
        i % 2 === 0 ? c.main : c.dark,
      ),
      area(
        `M${88 + i * 84} ${i % 2 === 0 ? 162 : 150} L${152 + i * 84} ${i % 2 === 0 ? 150 : 162} L${152 + i * 84} ${i % 2 === 0 ? 276 : 288} L${88 + i * 84} ${i % 2 === 0 ? 288 : 276} Z`,
        c.ink,
      ),
      line(
        `M${120 + i * 84} 158 L${120 + i * 84} 280 M${90 + i * 84} 194 L${150 + i * 84} 194 M${90 + i * 84} 238 L${150 + i * 84} 238`,
        c.light,
        2.5,
      ),
    ),
  ) +
  oval(300, 106, 24, 24, "#f4c95d") +
  line("M330 296 Q352 330 300 326 L270 326", c.accent, 5);

const stringLight: Draw = (c) =>
  line("M64 146 Q130 236 200 176 Q270 116 340 206 M76 238 Q150 318 216 258 Q270 214 326 284", c.ink, 4) +
  [
    [96, 178],
    [140, 200],
    [186, 184],
    [232, 152],
    [280, 152],
    [322, 184],
    [110, 266],
    [156, 284],
    [204, 266],
    [250, 238],
    [296, 254],
  ]
    .map(
      ([x = 0, y = 0], i) =>
        oval(x, y + 20, 24, 24, "#f7dd8a44") +
        box(x - 6, y - 2, 12, 10, 2, c.ink) +
        oval(x, y + 20, 12, 15, i % 2 === 0 ? c.main : "#fbe7ab"),
    )
    .join("");

export const CAMP_SHAPES = {
  "tent-dome": tentDome,
  "tent-tunnel": tentTunnel,
  tarp,
  groundsheet,
  pegs,
  cord,
  "sleeping-bag": sleepingBag,
  quilt,
  mat,
  "foam-mat": foamMat,
  pillow,
  liner,
  headlamp,
  lantern,
  torch: (c, style) => mirrored(torch(c, style)),
  powerbank,
  solar,
  "string-light": stringLight,
} as const satisfies Record<string, Draw>;
