import { area, box, type Draw, label, line, mirrored, oval, repeat, ring, turned } from "./pen.js";

const compass: Draw = (c, style) =>
  (style === 1
    ? line("M200 118 Q160 60 210 62 Q244 70 200 118", c.accent, 7)
    : box(118, 92, 164, 222, 18, "#e9eef0cc") +
      repeat(7, (i) => line(`M126 ${112 + i * 30} l${i % 2 === 0 ? 16 : 10} 0`, c.ink, 3))) +
  oval(200, 220, 92, 92, c.main) +
  oval(200, 220, 76, 76, c.white) +
  repeat(12, (i) => turned(i * 30, 200, 220, line("M200 150 L200 160", c.ink, 4))) +
  (style === 1
    ? line("M200 220 L246 180", c.accent, 6) + line("M200 220 L172 242", c.ink, 5)
    : turned(
        28,
        200,
        220,
        area("M200 160 L214 220 L186 220 Z", c.accent),
        area("M200 280 L214 220 L186 220 Z", c.ink),
      )) +
  oval(200, 220, 9, 9, c.steel);

const map: Draw = (c) =>
  repeat(4, (i) =>
    area(
      `M${76 + i * 62} ${i % 2 === 0 ? 132 : 156} L${138 + i * 62} ${i % 2 === 0 ? 156 : 132} L${138 + i * 62} ${i % 2 === 0 ? 306 : 282} L${76 + i * 62} ${i % 2 === 0 ? 282 : 306} Z`,
      i % 2 === 0 ? c.pale : c.light,
    ),
  ) +
  area("M200 150 Q250 150 262 190 Q270 226 232 228 Q196 226 190 196 Q188 164 200 150 Z", "#9cc7dd") +
  line("M84 250 Q130 214 158 246 Q190 286 236 254 Q280 232 316 262", c.white, 7) +
  line("M84 160 Q120 186 150 176 M96 196 Q116 206 136 200 M270 170 Q296 190 318 178", c.main, 4) +
  `<path d="M100 270 Q150 230 210 268 T310 210" fill="none" stroke="${c.accent}" stroke-width="5" stroke-dasharray="3 11" stroke-linecap="round"/>` +
  area("M310 208 q-24 -28 0 -50 q24 22 0 50 Z", c.deep) +
  oval(310, 180, 7, 7, c.white);

const watch: Draw = (c) =>
  area("M162 150 L168 78 L232 78 L238 150 Z M162 270 L168 336 L232 336 L238 270 Z", c.main) +
  line("M186 92 L186 132 M214 92 L214 132 M186 286 L186 324 M214 286 L214 324", c.dark, 6) +
  box(284, 192, 16, 32, 5, c.steel) +
  oval(200, 208, 88, 88, c.ink) +
  oval(200, 208, 74, 74, "#15202a") +
  area("M136 232 L172 186 L192 210 L216 174 L264 240 Q244 276 200 278 Q156 276 136 232 Z", c.accent) +
  line("M148 252 Q190 226 250 250", c.white, 4) +
  repeat(12, (i) => turned(i * 30, 200, 208, line("M200 126 L200 134", c.metal, 4)));

const gps: Draw = (c) =>
  box(226, 70, 30, 60, 12, c.ink) +
  box(134, 96, 132, 220, 28, c.deep) +
  box(128, 92, 132, 220, 28, c.main) +
  box(144, 114, 100, 110, 8, "#d9e8d2") +
  line("M150 206 Q176 170 196 190 Q216 206 238 140", c.accent, 6) +
  oval(238, 140, 7, 7, c.ink) +
  oval(194, 268, 24, 24, c.ink) +
  oval(194, 268, 10, 10, c.pale) +
  oval(152, 242, 8, 6, c.deep) +
  oval(236, 242, 8, 6, c.deep);

const binoculars: Draw = (c) =>
  line("M84 300 Q40 180 130 132 M316 300 Q360 180 270 132", c.accent, 5) +
  repeat(2, (i) => {
    const x = i === 0 ? 138 : 262;
    return (
      box(x - 28, 108, 56, 30, 8, c.ink) +
      area(`M${x - 34} 136 L${x + 34} 136 L${x + 54} 270 L${x - 54} 270 Z`, i === 0 ? c.main : c.dark) +
      box(x - 58, 264, 116, 44, 12, c.ink) +
      oval(x, 292, 42, 12, "#8fc1d9") +
      line(`M${x - 20} 160 L${x - 30} 246`, c.light, 6)
    );
  }) +
  box(184, 150, 32, 84, 10, c.deep) +
  oval(200, 162, 22, 12, c.accent);

const book: Draw = (c) =>
  turned(
    -8,
    200,
    214,
    box(122, 104, 164, 212, 10, c.deep),
    box(130, 110, 152, 200, 6, c.white),
    box(114, 98, 160, 212, 10, c.main),
    box(114, 98, 30, 212, 10, c.dark),
    box(250, 98, 10, 212, 0, c.accent),
    area("M164 220 L192 172 L208 196 L216 186 L238 220 Z", c.pale),
    line("M288 130 L288 286", "#e0b04a", 9),
    area("M283 286 L293 286 L288 302 Z", c.ink),
  );

const phoneCase: Draw = (c, style) =>
  line("M160 118 Q120 52 200 56 Q280 52 240 118", c.accent, 5) +
  box(130, 112, 140, 202, 20, c.main) +
  box(130, 112, 140, 46, 14, c.dark) +
  line("M140 134 L260 134", c.pale, 5) +
  box(146, 168, 108, 132, 10, "#e9f2f6") +
  (style === 1
    ? area("M152 180 L248 172 L248 292 L152 292 Z", "#cfe0b8") +
      line("M156 270 Q190 220 216 246 Q232 258 246 206", c.accent, 5)
    : box(162, 178, 76, 112, 9, c.ink) +
      box(168, 186, 64, 92, 4, "#8fc1d9") +
      area("M168 278 L192 240 L206 260 L216 248 L232 278 Z", c.white)) +
  box(146, 118, 18, 12, 3, c.accent) +
  box(236, 118, 18, 12, 3, c.accent);

const firstAid: Draw = (c, style) =>
  line("M164 136 Q166 104 200 104 Q234 104 236 136", c.ink, 9) +
  box(94, 136, 212, 174, 26, c.main) +
  area("M200 136 L280 136 Q306 136 306 162 L306 284 Q306 310 280 310 L200 310 Z", c.dark) +
  line("M94 180 L306 180", c.deep, 5) +
  oval(200, 236, 52, 52, c.white) +
  (style === 1
    ? turned(-35, 200, 236, box(158, 220, 84, 32, 16, "#e9b98f"), box(184, 220, 32, 32, 4, "#f6d9bd"))
    : box(186, 202, 28, 68, 4, "#3f8f6b") + box(166, 222, 68, 28, 4, "#3f8f6b")) +
  box(270, 174, 10, 28, 4, c.accent);

const blanket: Draw = (c) =>
  area("M84 186 L220 132 L322 184 L318 268 L186 316 L84 262 Z", c.main) +
  area("M84 186 L220 132 L322 184 L186 240 Z", c.light) +
  area("M186 240 L322 184 L318 268 L186 316 Z", c.dark) +
  line("M120 192 L150 214 L176 190 L204 216 L240 178 L268 196", c.white, 4) +
  line("M84 222 L186 276 L320 226", c.pale, 4) +
  area("M186 240 L322 184 L322 206 L186 262 Z", c.metal) +
  line("M206 240 L240 228 L262 236", c.white, 4);

const whistle: Draw = (c) =>
  line("M150 204 Q80 150 120 104 Q180 66 206 132", c.accent, 7) +
  oval(158, 244, 68, 66, c.main) +
  area("M158 178 L330 178 L330 222 L220 232 Q222 250 214 266 Z", c.main) +
  area("M158 178 L330 178 L330 192 L170 192 Z", c.light) +
  area("M226 178 L256 178 L242 210 Z", c.deep) +
  oval(158, 244, 36, 35, c.dark) +
  oval(158, 244, 20, 20, c.deep) +
  line("M330 128 L352 112 M338 152 L366 148 M316 112 L326 88", c.ink, 5);

const waterFilter: Draw = (c, style) =>
  (style === 1
    ? line("M180 96 Q200 66 220 96", c.ink, 6) +
      area("M118 100 L282 100 L270 220 Q200 250 130 220 Z", c.light) +
      area("M122 140 Q200 156 278 140 L270 220 Q200 250 130 220 Z", "#8fc1d9") +
      line("M200 234 L200 252", c.ink, 8)
    : box(172, 84, 56, 30, 8, c.ink) + box(178, 112, 44, 26, 4, c.accent)) +
  box(style === 1 ? 176 : 160, style === 1 ? 250 : 136, style === 1 ? 48 : 80, style === 1 ? 50 : 112, 14, c.main) +
  (style === 1
    ? ""
    : repeat(5, (i) => line(`M${172 + i * 14} 154 L${172 + i * 14} 232`, c.pale, 4)) +
      area("M176 248 L224 248 L214 276 L186 276 Z", c.dark)) +
  area(`M200 ${style === 1 ? 304 : 284} q14 20 0 28 q-14 -8 0 -28 Z`, "#4aa3d8");

const blisterPack: Draw = (c) =>
  turned(
    -10,
    200,
    214,
    box(112, 110, 176, 204, 14, c.metal),
    box(112, 110, 176, 44, 14, c.main),
    area("M200 116 q12 18 0 28 q-12 -10 0 -28 Z", c.white),
    repeat(
      12,
      (i) =>
        oval(142 + (i % 3) * 58, 182 + Math.floor(i / 3) * 36, 18, 12, c.steel) +
        oval(140 + (i % 3) * 58, 179 + Math.floor(i / 3) * 36, 18, 12, c.white),
    ),
    line("M120 164 L280 164", c.steel, 2),
  );

const patches: Draw = (c, style) =>
  (style === 1
    ? box(96, 176, 208, 134, 18, c.dark) +
      box(96, 168, 208, 120, 18, c.main) +
      oval(200, 228, 46, 46, c.white) +
      ring(200, 228, 30, c.ink, 8) +
      turned(30, 280, 140, box(250, 96, 26, 110, 12, c.accent)) +
      turned(60, 300, 140, box(286, 96, 26, 110, 12, c.deep))
    : box(86, 120, 130, 130, 16, c.main) + oval(256, 206, 68, 68, c.accent) + box(140, 214, 110, 96, 16, c.light)) +
  (style === 1
    ? ""
    : `<rect x="98" y="132" width="106" height="106" rx="10" fill="none" stroke="${c.pale}" stroke-width="3" stroke-dasharray="7 6"/>` +
      area("M154 284 L184 240 L200 262 L210 250 L234 284 Z", c.white) +
      area("M236 186 L280 186 L258 232 Z", c.white));

const tape: Draw = (c) =>
  area("M200 306 L344 306 L344 282 L200 282 Z", c.light) +
  repeat(3, (i) => area(`M344 ${282 + i * 8} l8 4 l-8 4 Z`, c.light)) +
  oval(190, 214, 98, 98, c.main) +
  oval(190, 214, 78, 78, c.dark) +
  oval(190, 214, 58, 58, c.accent) +
  oval(190, 214, 46, 46, c.white) +
  line("M110 190 Q128 138 176 128", c.pale, 6) +
  ring(190, 214, 88, c.deep, 2.5);

const sewing: Draw = (c) =>
  area("M92 150 Q92 132 110 132 L308 132 L308 300 L110 300 Q92 300 92 282 Z", c.main) +
  area("M92 150 Q92 132 110 132 L134 132 L134 300 L110 300 Q92 300 92 282 Z", c.dark) +
  repeat(
    3,
    (i) =>
      box(158 + i * 46, 164, 32, 10, 3, c.ink) +
      box(162 + i * 46, 174, 24, 40, 3, [c.accent, c.pale, c.deep][i] ?? c.accent) +
      box(158 + i * 46, 214, 32, 10, 3, c.ink),
  ) +
  line("M156 262 L276 246", c.metal, 5) +
  oval(272, 247, 5, 2.5, c.ink) +
  line("M276 246 Q330 220 316 180 Q306 156 334 140", c.accent, 3) +
  repeat(
    2,
    (i) =>
      oval(176 + i * 40, 282, 10, 10, c.white) +
      oval(173 + i * 40, 282, 2, 2, c.ink) +
      oval(179 + i * 40, 282, 2, 2, c.ink),
  ) +
  line("M92 216 L60 216 M60 216 L60 246", c.accent, 6);

const knife: Draw = (c) =>
  turned(
    -30,
    200,
    220,
    area("M196 198 L350 198 Q338 232 300 238 L196 238 Z", c.metal),
    area("M196 222 L334 222 Q322 236 300 238 L196 238 Z", c.steel),
    box(44, 192, 164, 54, 24, c.main),
    area("M44 222 L208 222 L208 230 Q204 246 184 246 L68 246 Q46 244 44 222 Z", c.dark),
    oval(76, 218, 6, 6, c.metal),
    oval(128, 218, 6, 6, c.metal),
    oval(188, 218, 8, 8, c.metal),
    line("M50 226 Q20 240 34 268", c.accent, 6),
  );

const multitool: Draw = (c, style) =>
  turned(-38, 190, 232, box(178, 122, 22, 128, 6, c.metal), area("M178 122 L189 104 L200 122 Z", c.metal)) +
  turned(12, 190, 232, box(184, 108, 16, 130, 4, c.steel), line("M192 108 L192 92 L212 92", c.steel, 9)) +
  turned(
    52,
    190,
    232,
    box(180, 118, 18, 130, 4, c.metal),
    style === 1 ? area("M176 96 L202 96 L202 122 L176 122 Z", c.steel) : oval(189, 110, 16, 16, c.steel),
  ) +
  box(108, 224, 192, 88, 30, c.dark) +
  box(108, 216, 192, 82, 30, c.main) +
  line("M140 240 L268 240 M140 272 L268 272", c.light, 5) +
  oval(140, 256, 10, 10, c.metal) +
  oval(268, 256, 10, 10, c.metal) +
  label(204, 257, c);

const brush: Draw = (c) =>
  repeat(14, (i) =>
    line(
      `M${92 + i * 16} 236 L${88 + i * 16 + (i % 3) * 3} ${300 - (i % 2) * 6}`,
      i % 2 === 0 ? "#e6cfa2" : "#cbb07c",
      9,
    ),
  ) +
  area("M74 206 Q74 178 110 182 L290 176 Q340 176 340 210 Q336 240 306 240 L92 240 Q74 238 74 206 Z", c.main) +
  area("M76 216 L338 216 Q334 240 306 240 L92 240 Q76 238 76 216 Z", c.dark) +
  oval(306, 206, 12, 10, c.deep) +
  line("M306 200 Q330 130 360 150", c.accent, 6) +
  line("M104 198 L240 194", c.light, 5);

export const INSTRUMENT_SHAPES = {
  compass,
  map,
  watch,
  gps,
  binoculars,
  book,
  "phone-case": phoneCase,
  "first-aid": firstAid,
  blanket,
  whistle: (c, style) => mirrored(whistle(c, style)),
  "water-filter": waterFilter,
  "blister-pack": blisterPack,
  patches,
  tape,
  sewing,
  knife,
  multitool,
  brush,
} as const satisfies Record<string, Draw>;
