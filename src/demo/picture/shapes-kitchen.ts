import { area, box, type Draw, label, line, oval, repeat, ring, turned } from "./pen.js";

const FLAME = "#4aa3d8";

const stove: Draw = (c, style) =>
  (style === 1
    ? box(76, 232, 248, 70, 14, c.main) +
      box(76, 272, 248, 30, 14, c.dark) +
      repeat(
        2,
        (i) =>
          oval(140 + i * 120, 224, 46, 12, c.ink) + line(`M${100 + i * 120} 214 L${180 + i * 120} 214`, c.steel, 6),
      ) +
      repeat(
        2,
        (i) =>
          oval(140 + i * 120, 270, 13, 13, c.white) + line(`M${140 + i * 120} 270 L${140 + i * 120} 261`, c.ink, 4),
      ) +
      repeat(8, (i) => area(`M${106 + (i % 4) * 20 + (i > 3 ? 120 : 0)} 218 q-8 -14 0 -28 q8 14 0 28 Z`, FLAME)) +
      area("M76 232 L76 150 Q76 136 90 136 L100 136 L100 232 Z", c.light) +
      area("M324 232 L324 150 Q324 136 310 136 L300 136 L300 232 Z", c.dark)
    : box(170, 246, 60, 66, 8, c.dark) +
      box(158, 206, 84, 46, 10, c.main) +
      line("M166 208 L120 150 M234 208 L280 150 M200 204 L200 150", c.steel, 9) +
      line("M96 150 L140 150 M260 150 L304 150 M184 146 L216 146", c.steel, 9) +
      repeat(5, (i) => area(`M${164 + i * 18} 204 q-12 -26 0 -48 q12 22 0 48 Z`, FLAME)) +
      line("M242 226 L296 226", c.steel, 7) +
      oval(306, 226, 14, 18, c.accent) +
      box(140, 306, 120, 12, 6, c.deep)) +
  (style === 2 ? box(128, 86, 144, 58, 10, c.light) + box(128, 86, 144, 14, 6, c.deep) : "");

const gas: Draw = (c) =>
  box(184, 126, 32, 26, 6, c.steel) +
  area("M124 190 Q126 150 200 148 Q274 150 276 190 L276 298 Q270 314 200 314 Q130 314 124 298 Z", c.main) +
  area("M212 148 Q274 150 276 190 L276 298 Q270 314 212 314 Z", c.dark) +
  area("M124 204 L276 204 L276 276 L124 276 Z", c.white) +
  area("M200 214 Q224 236 216 256 Q210 268 200 268 Q190 268 184 256 Q178 240 200 214 Z", c.accent) +
  line("M140 196 L140 186 Q146 170 172 166", c.light, 6);

const pot: Draw = (c, style) =>
  box(104, 196, 192, 116, 22, c.main) +
  area("M200 196 L296 196 L296 290 Q296 312 274 312 L200 312 Z", c.dark) +
  box(92, 184, 216, 18, 9, c.deep) +
  area("M112 184 Q120 156 200 156 Q280 156 288 184 Z", c.light) +
  oval(200, 150, 14, 9, c.ink) +
  line("M296 222 Q350 222 350 248 Q350 270 300 266", c.accent, 9) +
  (style === 0
    ? line("M124 226 L124 286", c.pale, 7)
    : repeat(3, (i) => line(`M118 ${236 + i * 22} L${140 - i * 3} ${236 + i * 22}`, c.pale, 5))) +
  line("M168 126 Q158 112 168 98 M204 126 Q194 112 204 98", c.white, 5);

const kettle: Draw = (c) =>
  line("M140 170 Q140 96 200 96 Q260 96 260 170", c.ink, 10) +
  area("M112 304 Q96 220 146 176 L254 176 Q304 220 288 304 Q286 314 274 314 L126 314 Q114 314 112 304 Z", c.main) +
  area("M210 176 L254 176 Q304 220 288 304 Q286 314 274 314 L210 314 Z", c.dark) +
  area("M284 238 L344 190 L352 202 L296 280 Z", c.dark) +
  area("M146 176 Q200 152 254 176 Z", c.light) +
  oval(200, 158, 13, 9, c.accent) +
  line("M134 290 Q124 240 150 204", c.pale, 7);

const mug: Draw = (c) =>
  line("M272 200 Q340 196 336 246 Q332 290 266 284", c.main, 18) +
  area("M112 164 L284 164 L274 294 Q272 312 254 312 L142 312 Q124 312 122 294 Z", c.main) +
  area("M204 164 L284 164 L274 294 Q272 312 254 312 L204 312 Z", c.dark) +
  oval(198, 164, 86, 18, c.white) +
  oval(198, 166, 74, 13, "#5a3a28") +
  [
    [146, 214],
    [170, 250],
    [140, 276],
    [186, 204],
    [226, 228],
    [246, 268],
    [208, 286],
    [178, 292],
  ]
    .map(([x = 0, y = 0]) => oval(x, y, 4, 4, c.white))
    .join("") +
  line("M170 136 Q158 120 170 104 M206 136 Q194 120 206 104 M242 136 Q230 120 242 104", c.white, 5);

const coffee: Draw = (c) =>
  area("M106 132 L294 132 L224 242 L176 242 Z", c.main) +
  area("M200 132 L294 132 L224 242 L200 242 Z", c.dark) +
  repeat(5, (i) => line(`M${132 + i * 34} 140 L${184 + i * 8} 236`, c.light, 3)) +
  oval(200, 132, 94, 16, c.metal) +
  oval(200, 132, 80, 11, "#5a3a28") +
  box(140, 240, 120, 14, 7, c.accent) +
  area("M150 256 L250 256 L244 306 Q242 314 234 314 L166 314 Q158 314 156 306 Z", c.white) +
  line("M250 268 Q280 270 274 288 Q270 300 246 298", c.white, 8) +
  line("M164 270 L168 302", c.metal, 4);

const cutlery: Draw = (c) =>
  repeat(3, (i) =>
    turned(
      -13 + i * 13,
      200,
      560,
      area("M190 180 L210 180 L206 262 L212 318 L188 318 L194 262 Z", [c.main, c.light, c.accent][i] ?? c.main),
      oval(200, 312, 22, 30, [c.main, c.light, c.accent][i] ?? c.main),
      oval(200, 312, 13, 20, [c.dark, c.main, c.deep][i] ?? c.dark),
      area(
        "M176 110 L183 110 L184 148 L191 148 L193 108 L207 108 L209 148 L216 148 L217 110 L224 110 L224 160 Q222 186 200 186 Q178 186 176 160 Z",
        [c.main, c.light, c.accent][i] ?? c.main,
      ),
    ),
  );

const bowl: Draw = (c) =>
  area("M86 204 L314 204 Q306 312 244 312 L156 312 Q94 312 86 204 Z", c.main) +
  area("M200 204 L314 204 Q306 312 244 312 L200 312 Z", c.dark) +
  oval(200, 204, 114, 26, c.pale) +
  oval(200, 208, 98, 18, c.deep) +
  line("M92 232 Q200 268 308 232 M100 260 Q200 294 300 260", c.light, 5) +
  area("M128 172 L272 172 Q266 200 240 196 L160 196 Q134 200 128 172 Z", c.accent) +
  oval(200, 172, 72, 14, c.white);

const flask: Draw = (c, style) =>
  box(160, 84, 80, 56, 14, c.metal) +
  box(200, 84, 40, 56, 14, c.steel) +
  area(
    "M148 150 Q148 136 164 136 L236 136 Q252 136 252 150 L252 296 Q252 314 234 314 L166 314 Q148 314 148 296 Z",
    c.main,
  ) +
  area("M206 136 L236 136 Q252 136 252 150 L252 296 Q252 314 234 314 L206 314 Z", c.dark) +
  box(148, 158, 104, 10, 0, c.accent) +
  line("M166 184 L166 286", c.light, 7) +
  (style === 0 ? box(148, 290, 104, 8, 0, c.deep) : "") +
  label(204, 226, c);

const pouch: Draw = (c) =>
  area("M118 116 L282 116 L292 300 Q200 326 108 300 Z", c.main) +
  area("M118 116 L282 116 L284 146 L116 146 Z", c.dark) +
  area("M220 146 L284 146 L292 300 Q262 310 220 312 Z", c.dark) +
  line("M124 131 L276 131", c.light, 3) +
  oval(196, 222, 56, 56, c.white) +
  area("M150 218 L242 218 Q238 262 196 262 Q154 262 150 218 Z", c.accent) +
  oval(196, 218, 46, 12, "#b5532f") +
  line("M180 196 Q172 186 180 176 M206 196 Q198 186 206 176", c.metal, 4);

const bottle: Draw = (c, style) =>
  (style === 1
    ? area(
        "M168 120 L232 120 L232 148 Q266 164 262 210 L258 300 Q256 314 200 314 Q144 314 142 300 L138 210 Q134 164 168 148 Z",
        c.main,
      )
    : area(
        "M164 132 L236 132 Q260 150 260 190 Q248 206 260 224 L260 298 Q258 314 200 314 Q142 314 140 298 L140 224 Q152 206 140 190 Q140 150 164 132 Z",
        c.main,
      )) +
  area("M214 134 L236 134 Q260 152 260 190 Q250 206 260 224 L258 298 Q254 312 214 313 Z", c.dark) +
  box(166, 98, 68, 36, 8, c.accent) +
  box(184, 76, 32, 26, 8, c.ink) +
  (style === 2
    ? area("M152 226 L248 226 L246 284 L154 284 Z", c.white) + area("M200 236 q22 28 0 40 q-22 -12 0 -40 Z", c.main)
    : "") +
  (style !== 2
    ? line("M158 232 L158 284", c.light, 7) +
      repeat(3, (i) => line(`M228 ${244 + i * 16} L246 ${244 + i * 16}`, c.pale, 4))
    : "");

const spray: Draw = (c, style) =>
  area(
    "M148 176 Q148 152 176 146 L224 146 Q252 152 252 176 L252 296 Q252 314 234 314 L166 314 Q148 314 148 296 Z",
    c.main,
  ) +
  area("M208 146 L224 146 Q252 152 252 176 L252 296 Q252 314 234 314 L208 314 Z", c.dark) +
  box(182, 116, 36, 32, 4, c.deep) +
  area("M158 84 L232 84 Q246 84 246 98 L246 118 L176 118 L158 104 Z", c.accent) +
  line("M172 118 Q160 132 164 144", c.accent, 8) +
  box(148, 206, 104, 72, 0, c.white) +
  (style === 0
    ? area("M200 214 q24 34 0 50 q-24 -16 0 -50 Z", c.main)
    : area("M174 262 Q170 224 226 220 Q230 264 182 264 Z", c.main) + line("M174 268 L210 236", c.white, 3)) +
  repeat(
    3,
    (i) => oval(132 - i * 22, 94 + (i % 2) * 14, 4, 4, c.metal) + oval(118 - i * 20, 112 - (i % 2) * 34, 3, 3, c.metal),
  );

const tin: Draw = (c) =>
  area("M96 232 L96 284 Q100 314 200 314 Q300 314 304 284 L304 232 Z", c.dark) +
  oval(200, 232, 104, 34, c.main) +
  oval(200, 230, 84, 25, c.pale) +
  area("M152 236 Q180 206 204 228 Q224 246 250 222 Q244 252 200 254 Q164 252 152 236 Z", c.accent) +
  turned(
    -14,
    250,
    150,
    oval(252, 154, 86, 26, c.deep),
    oval(252, 146, 86, 26, c.main),
    oval(252, 144, 64, 17, c.light),
    ring(252, 144, 9, c.white, 4),
  );

const tube: Draw = (c, style) =>
  turned(
    style === 0 ? 14 : -12,
    200,
    220,
    area("M142 96 L258 96 L240 266 L160 266 Z", c.main),
    area("M204 96 L258 96 L240 266 L204 266 Z", c.dark),
    box(136, 86, 128, 20, 4, c.light),
    repeat(7, (i) => line(`M${148 + i * 17} 90 L${148 + i * 17} 102`, c.dark, 2.5)),
    box(162, 266, 76, 48, 8, c.accent),
    area("M152 140 L248 140 L242 220 L158 220 Z", c.white),
    style === 2 ? oval(200, 180, 22, 22, "#f4c95d") : area("M166 200 L190 160 L204 182 L214 168 L234 200 Z", c.main),
  );

export const KITCHEN_SHAPES = {
  stove,
  gas,
  pot,
  kettle,
  mug,
  coffee,
  cutlery,
  bowl,
  flask,
  pouch,
  bottle,
  spray,
  tin,
  tube,
} as const satisfies Record<string, Draw>;
