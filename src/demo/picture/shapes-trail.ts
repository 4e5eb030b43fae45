import { area, box, type Draw, label, line, oval, repeat, stitches, turned } from "./pen.js";

const backpack: Draw = (c, style) =>
  box(124, 270, 152, 42, 20, c.accent) +
  line("M128 272 L276 272", c.deep, 3) +
  area("M118 150 Q120 104 200 104 Q280 104 282 150 L290 262 Q292 286 268 286 L132 286 Q108 286 110 262 Z", c.main) +
  area("M220 104 Q280 106 282 150 L290 262 Q292 286 268 286 L220 286 Z", c.dark) +
  area("M114 148 Q118 92 200 88 Q282 92 286 148 Q200 172 114 148 Z", c.light) +
  area("M220 90 Q282 94 286 148 Q252 160 220 161 Z", c.main) +
  line("M166 158 L166 188 M234 158 L234 188", c.ink, 8) +
  box(146, 196, 108, 74, 14, c.deep) +
  line("M146 216 L254 216", c.accent, 5) +
  box(92, 204, 26, 70, 12, c.dark) +
  box(282, 204, 26, 70, 12, c.deep) +
  line("M176 88 Q200 62 224 88", c.ink, 7) +
  (style === 1 ? line("M296 190 Q324 120 308 76", c.steel, 5) : "") +
  label(200, 244, c);

const daypack: Draw = (c, style) =>
  line("M174 96 Q200 66 226 96", c.ink, 8) +
  area("M124 190 Q124 92 200 92 Q276 92 276 190 L282 290 Q282 312 260 312 L140 312 Q118 312 118 290 Z", c.main) +
  area("M214 92 Q276 98 276 190 L282 290 Q282 312 260 312 L214 312 Z", c.dark) +
  line("M142 190 Q144 116 200 116 Q256 116 258 190", c.deep, 5) +
  area("M142 216 L258 216 L262 286 Q262 298 250 298 L150 298 Q138 298 138 286 Z", c.light) +
  line("M142 232 L258 232", c.accent, 6) +
  line("M250 232 L250 250", c.accent, 4) +
  (style === 0 ? line("M170 150 L230 176 M230 150 L170 176", c.pale, 4) : "") +
  (style === 1 ? line("M148 160 L252 160 M148 184 L252 184", c.pale, 4) : "") +
  (style === 2
    ? oval(200, 164, 24, 24, c.accent) + area("M186 172 L198 154 L204 164 L208 158 L216 172 Z", c.white)
    : label(200, 268, c));

const hipPack: Draw = (c, style) =>
  line("M60 176 Q110 196 130 210 M340 176 Q290 196 270 210", c.deep, 18) +
  area("M104 204 Q200 158 296 204 Q312 296 200 302 Q88 296 104 204 Z", c.main) +
  area("M200 180 Q262 184 296 204 Q312 296 200 302 Z", c.dark) +
  line("M118 218 Q200 184 282 218", c.accent, 6) +
  line("M278 218 L290 240", c.accent, 5) +
  (style === 0 ? line("M132 254 Q200 280 268 254", c.light, 5) : stitches("M132 250 Q200 274 268 250", c.pale, 4)) +
  label(176, 244, c);

const rainCover: Draw = (c, style) =>
  area("M116 160 Q120 92 200 92 Q280 92 284 160 L292 262 Q286 312 200 312 Q114 312 108 262 Z", c.main) +
  area("M216 92 Q280 96 284 160 L292 262 Q286 312 216 312 Z", c.dark) +
  line("M112 270 Q200 300 288 270", c.deep, 5) +
  line("M140 160 Q146 124 180 116", c.pale, 7) +
  (style === 0
    ? line("M150 180 L250 240 M250 180 L150 240", c.light, 4)
    : area("M146 196 L254 196 L256 216 L144 216 Z", c.pale)) +
  repeat(6, (i) =>
    area(
      `M${70 + (i % 3) * 128} ${100 + Math.floor(i / 3) * 90 + (i % 3) * 22} q10 16 0 22 q-10 -6 0 -22 Z`,
      "#7db4d6",
    ),
  );

const stuffSack: Draw = (c) =>
  [
    { x: 132, w: 74, h: 120, fill: c.main, shade: c.dark },
    { x: 268, w: 78, h: 138, fill: c.accent, shade: c.deep },
    { x: 200, w: 86, h: 172, fill: c.light, shade: c.main },
  ]
    .map(
      ({ x, w, h, fill, shade }) =>
        area(
          `M${x - w / 2} ${314 - h * 0.7} Q${x - w / 2 - 6} 314 ${x} 314 Q${x + w / 2 + 6} 314 ${x + w / 2} ${314 - h * 0.7} L${x + 10} ${314 - h} L${x + 26} ${298 - h} L${x - 26} ${298 - h} L${x - 10} ${314 - h} Z`,
          fill,
        ) +
        area(
          `M${x + 12} ${316 - h} Q${x + 22} 250 ${x + 12} 314 Q${x + w / 2 + 6} 312 ${x + w / 2} ${314 - h * 0.7} Z`,
          shade,
        ) +
        line(`M${x - 11} ${314 - h} L${x + 11} ${314 - h}`, c.ink, 7) +
        box(x - 14, 250, 28, 18, 3, c.white),
    )
    .join("");

const boot: Draw = (c, style) =>
  area("M120 112 L206 112 L214 196 Q262 212 306 232 Q328 244 326 278 L112 278 Q104 200 120 112 Z", c.main) +
  area("M112 262 Q220 244 326 262 L326 280 L112 280 Z", c.deep) +
  area(
    "M112 276 L328 276 L328 294 Q328 308 314 308 L290 308 L284 300 L262 308 L240 300 L220 308 L196 300 L176 308 L150 300 L134 308 L118 308 Q110 300 112 276 Z",
    c.ink,
  ) +
  area("M260 216 Q328 232 326 266 Q290 246 252 258 Z", style === 1 ? c.accent : c.dark) +
  area("M112 112 L212 112 L214 136 L114 136 Z", c.pale) +
  line("M182 152 L216 150 M186 174 L220 170 M192 196 L232 188 M204 214 L248 202", c.accent, 6) +
  line("M176 140 L196 214", c.deep, 4) +
  (style === 2
    ? area("M118 196 Q150 190 168 240 L166 262 L112 266 Z", c.accent)
    : area("M118 206 Q146 204 156 244 L154 264 L112 267 Z", c.dark));

const shoe: Draw = (c, style) =>
  area(
    "M84 214 Q86 186 110 192 Q140 212 174 186 Q190 176 204 190 Q246 230 312 240 Q340 248 338 280 L82 280 Z",
    c.main,
  ) +
  area("M82 256 Q200 240 338 268 L338 282 L82 282 Z", c.light) +
  area("M80 276 L340 276 Q342 306 314 308 L104 308 Q80 306 80 276 Z", c.ink) +
  repeat(9, (i) => area(`M${96 + i * 26} 306 l10 0 l-3 9 l-6 0 Z`, c.ink)) +
  line("M186 204 L208 190 M204 218 L228 202 M224 230 L248 214", c.accent, 6) +
  (style === 0 ? line("M110 244 Q150 210 176 250 Q200 232 214 254", c.pale, 6) : "") +
  (style === 1 ? area("M108 262 L150 220 L166 220 L130 262 Z M140 262 L182 226 L196 230 L162 262 Z", c.accent) : "") +
  (style === 2 ? stitches("M92 236 Q180 262 328 254", c.pale, 4) : "") +
  area("M290 238 Q340 246 338 272 Q312 254 284 258 Z", c.deep);

const sandal: Draw = (c, style) =>
  area("M74 262 Q120 240 200 254 Q300 246 338 268 Q346 296 320 300 L100 304 Q68 302 74 262 Z", c.ink) +
  area("M78 256 Q120 234 200 248 Q300 240 334 262 Q330 276 200 278 Q100 280 78 256 Z", "#c9a87c") +
  (style === 1
    ? area("M150 262 Q164 170 254 176 Q330 196 334 262 Q240 284 150 262 Z", c.main) +
      line("M168 226 Q250 204 326 236 M160 246 Q240 230 330 254", c.light, 5)
    : line("M110 260 Q120 176 160 182 Q206 196 196 262", c.main, 17) +
      line("M226 262 Q244 196 292 212 Q322 226 316 264", c.main, 19) +
      line("M160 188 Q220 206 266 210", c.dark, 13) +
      box(148, 172, 30, 20, 5, c.accent));

const gaiter: Draw = (c) =>
  repeat(2, (i) => {
    const x = 96 + i * 112;
    return (
      area(
        `M${x} 104 L${x + 92} 104 L${x + 84} 210 L${x + 104} 300 L${x - 6} 300 L${x + 8} 210 Z`,
        i === 0 ? c.main : c.dark,
      ) +
      area(`M${x} 104 L${x + 92} 104 L${x + 91} 122 L${x + 1} 122 Z`, c.accent) +
      box(x + 38, 126, 16, 170, 4, c.deep) +
      line(`M${x + 4} 300 Q${x + 48} 322 ${x + 98} 300`, c.ink, 5) +
      area(`M${x + 9} 246 L${x + 94} 246 L${x + 102} 290 L${x - 4} 290 Z`, c.deep)
    );
  });

const insole: Draw = (c) =>
  repeat(2, (i) =>
    turned(
      i === 0 ? -12 : 12,
      200,
      220,
      area(
        `M${152 + i * 96} 104 Q${(i === 0 ? 104 : 200) + 0} 112 ${112 + i * 96} 178 Q${124 + i * 96} 226 ${116 + i * 96} 268 Q${118 + i * 96} 310 ${148 + i * 96} 310 Q${180 + i * 96} 308 ${178 + i * 96} 262 Q${172 + i * 96} 220 ${186 + i * 96} 170 Q${190 + i * 96} 108 ${152 + i * 96} 104 Z`,
        i === 0 ? c.main : c.light,
      ),
      oval(148 + i * 96, 274, 20, 26, c.accent),
      stitches(`M${150 + i * 96} 122 Q${124 + i * 96} 130 ${128 + i * 96} 178 L${136 + i * 96} 230`, c.deep, 3),
    ),
  );

const laces: Draw = (c) =>
  line(
    "M110 286 Q70 220 140 196 Q230 168 250 224 Q262 268 214 264 Q160 256 188 190 Q220 120 298 140 Q350 160 316 214",
    c.main,
    12,
  ) +
  stitches(
    "M110 286 Q70 220 140 196 Q230 168 250 224 Q262 268 214 264 Q160 256 188 190 Q220 120 298 140 Q350 160 316 214",
    c.pale,
    4,
  ) +
  line("M110 286 L118 304 M316 214 L306 234", c.ink, 9) +
  line("M96 150 Q150 116 196 168 Q240 224 306 286", c.accent, 12) +
  stitches("M96 150 Q150 116 196 168 Q240 224 306 286", c.white, 4) +
  line("M96 150 L84 160 M306 286 L316 298", c.ink, 9);

const poles: Draw = (c, style) =>
  repeat(2, (i) =>
    turned(
      i === 0 ? 14 : -14,
      200,
      210,
      line("M200 120 L200 330", c.steel, 7),
      line("M200 176 L200 250", c.main, 11),
      line("M200 250 L200 300", style === 1 ? c.deep : c.light, 8),
      box(190, 172, 20, 16, 4, c.ink),
      box(190, 244, 20, 16, 4, c.ink),
      box(188, 66, 24, 66, 11, "#b98a5a"),
      box(186, 58, 28, 16, 8, c.dark),
      line("M200 78 q34 24 8 60", c.accent, 6),
      oval(200, 308, 20, 6, c.deep),
    ),
  );

const poleBaskets: Draw = (c) =>
  repeat(2, (i) => {
    const x = 142 + i * 116;
    return (
      oval(x, 240, 62, 40, c.dark) +
      oval(x, 232, 62, 40, c.main) +
      repeat(5, (k) =>
        oval(x + Math.round(38 * Math.cos(k * 1.257)), 232 + Math.round(23 * Math.sin(k * 1.257)), 11, 8, c.deep),
      ) +
      oval(x, 228, 16, 12, c.accent) +
      oval(x, 226, 7, 5, c.ink) +
      line(`M${x} 224 L${x + 8 - i * 16} 110`, c.steel, 9)
    );
  });

export const TRAIL_SHAPES = {
  backpack,
  daypack,
  "hip-pack": hipPack,
  "rain-cover": rainCover,
  "stuff-sack": stuffSack,
  boot,
  shoe,
  sandal,
  gaiter,
  insole,
  laces,
  poles,
  "pole-baskets": poleBaskets,
} as const satisfies Record<string, Draw>;
