import { area, box, type Draw, label, line, oval, repeat, ring, stitches, turned } from "./pen.js";

const handlebarBag: Draw = (c) =>
  line("M56 156 Q120 132 200 132 Q280 132 344 156 L352 196", c.ink, 11) +
  line("M56 156 L48 196", c.ink, 11) +
  box(66, 168, 268, 110, 50, c.main) +
  box(66, 222, 268, 56, 28, c.dark) +
  oval(88, 223, 24, 50, c.deep) +
  oval(312, 223, 24, 50, c.deep) +
  line("M146 140 L146 278 M254 140 L254 278", c.accent, 12) +
  box(136, 214, 20, 26, 4, c.ink) +
  box(244, 214, 20, 26, 4, c.ink) +
  label(200, 224, c);

const frameBag: Draw = (c, style) =>
  line("M60 132 L320 116 M320 116 L190 330 M60 132 L190 330", c.steel, 12) +
  area("M84 146 L300 132 Q306 140 300 150 L202 300 Q192 306 184 298 L80 158 Q78 148 84 146 Z", c.main) +
  area("M196 140 L300 132 Q306 140 300 150 L202 300 Q196 304 190 302 Z", c.dark) +
  line("M96 166 L286 154", c.accent, 7) +
  line("M286 154 L278 170", c.accent, 5) +
  line("M130 132 L130 150 M250 122 L250 140 M140 250 L156 238 M236 254 L222 242", c.ink, 10) +
  (style === 0 ? stitches("M126 200 L248 194", c.pale, 4) : line("M126 200 L248 194", c.light, 5)) +
  label(190, 226, c);

const saddleBag: Draw = (c) =>
  area(
    "M60 122 Q120 100 190 118 Q230 124 300 112 Q330 112 330 126 Q300 140 240 144 L180 150 Q100 160 60 138 Z",
    c.ink,
  ) +
  line("M236 144 L228 330", c.steel, 14) +
  area("M228 160 L206 260 Q180 306 100 290 Q48 270 60 210 Q70 176 130 160 Z", c.main) +
  area("M60 218 Q62 270 100 290 Q180 306 206 260 L212 234 Q130 262 60 218 Z", c.dark) +
  line("M100 170 Q84 220 112 286 M150 158 Q140 220 160 294", c.accent, 9) +
  line("M200 196 L236 196 M194 236 L232 236", c.ink, 9) +
  area("M60 210 Q48 240 66 268 Q42 262 38 236 Q40 214 60 210 Z", c.deep) +
  oval(60, 250, 8, 8, "#e0402f");

const pannier: Draw = (c, style) => {
  const bag = (x: number, fill: string, shade: string) =>
    area(
      `M${x} 152 L${x + 112} 152 L${x + 122} 296 Q${x + 122} 312 ${x + 104} 312 L${x + 8} 312 Q${x - 10} 312 ${x - 10} 296 Z`,
      fill,
    ) +
    area(`M${x + 62} 152 L${x + 112} 152 L${x + 122} 296 Q${x + 122} 312 ${x + 104} 312 L${x + 62} 312 Z`, shade) +
    box(x - 6, 122, 124, 34, 12, c.deep) +
    line(`M${x + 16} 130 L${x + 16} 196 M${x + 96} 130 L${x + 96} 196`, c.ink, 8) +
    oval(x + 56, 268, 16, 16, c.accent) +
    line(`M${x + 6} 226 L${x + 106} 226`, c.pale, 6);
  return style === 1
    ? line("M150 124 Q200 40 250 124", c.ink, 8) + bag(144, c.main, c.dark)
    : line("M60 112 L340 112", c.steel, 10) + bag(76, c.main, c.dark) + bag(212, c.light, c.main);
};

const pump: Draw = (c) =>
  turned(
    -34,
    200,
    220,
    box(66, 200, 186, 44, 16, c.main),
    box(66, 222, 186, 22, 10, c.dark),
    box(248, 210, 76, 24, 6, c.metal),
    box(316, 190, 30, 64, 12, c.ink),
    box(56, 192, 30, 60, 10, c.accent),
    line("M58 222 Q10 230 26 276 Q40 300 62 284", c.ink, 9),
    line("M110 210 L210 210", c.light, 5),
  );

const dryBag: Draw = (c, style) =>
  line("M150 116 Q140 76 200 78 Q260 76 250 116", c.ink, 7) +
  area("M132 128 L268 128 L282 290 Q280 314 200 314 Q120 314 118 290 Z", c.main) +
  area("M212 128 L268 128 L282 290 Q280 314 212 314 Z", c.dark) +
  box(126, 104, 148, 34, 14, c.deep) +
  line("M138 121 L262 121", c.light, 3) +
  box(176, 92, 48, 20, 6, c.accent) +
  line("M146 160 L140 280", c.pale, 7) +
  (style === 0 ? line("M122 260 L280 260", c.accent, 7) : "") +
  (style === 1 ? line("M160 140 L154 304 M244 140 L252 304", c.deep, 11) : "") +
  area("M200 188 q30 40 0 58 q-30 -18 0 -58 Z", c.white);

const paddle: Draw = (c, style) =>
  turned(
    38,
    200,
    215,
    line("M200 70 L200 360", c.steel, 9),
    area("M200 18 Q236 36 228 96 Q220 128 200 128 Q180 128 172 96 Q166 36 200 18 Z", c.main),
    area("M200 18 Q236 36 228 96 Q220 128 200 128 Z", c.dark),
    style === 1
      ? box(178, 352, 44, 20, 9, c.ink)
      : area("M200 412 Q236 394 228 334 Q220 302 200 302 Q180 302 172 334 Q166 394 200 412 Z", c.main) +
          area("M200 412 Q164 394 172 334 Q180 302 200 302 Z", c.light),
    box(192, 168, 16, 24, 4, c.accent),
    box(192, 226, 16, 24, 4, c.accent),
  );

const lifeVest: Draw = (c) =>
  area(
    "M136 96 L178 96 Q184 150 200 152 Q216 150 222 96 L264 96 Q268 140 290 156 L282 306 Q200 320 118 306 L110 156 Q132 140 136 96 Z",
    c.main,
  ) +
  area("M204 152 Q216 150 222 96 L264 96 Q268 140 290 156 L282 306 Q244 314 204 314 Z", c.dark) +
  line("M114 206 L286 206 M116 258 L284 258", c.deep, 14) +
  box(180, 196, 40, 22, 5, c.ink) +
  box(180, 248, 40, 22, 5, c.ink) +
  line("M200 152 L200 312", c.accent, 6) +
  box(132, 168, 44, 24, 5, c.pale) +
  box(224, 168, 44, 24, 5, c.accent) +
  line("M140 104 L174 104 M226 104 L260 104", c.white, 6);

const raft: Draw = (c, style) =>
  style === 1
    ? area("M40 260 Q120 214 200 214 Q280 214 360 260 Q300 306 200 306 Q100 306 40 260 Z", c.dark) +
      area("M40 252 Q120 204 200 204 Q280 204 360 252 Q300 294 200 294 Q100 294 40 252 Z", c.main) +
      area("M118 246 Q160 226 200 226 Q240 226 282 246 Q240 268 200 268 Q160 268 118 246 Z", c.deep) +
      area("M140 240 Q140 206 166 206 Q174 222 170 250 Z M220 240 Q220 206 246 206 Q254 222 250 250 Z", c.accent) +
      line("M66 254 Q200 214 334 254", c.pale, 5) +
      waves(c.white)
    : style === 2
      ? turned(
          -24,
          200,
          220,
          area("M42 220 Q80 172 200 172 Q320 172 360 220 Q320 268 200 268 Q80 268 42 220 Z", c.main),
          area("M42 220 Q80 268 200 268 Q320 268 360 220 Q280 240 200 240 Q120 240 42 220 Z", c.dark),
          box(150, 188, 120, 60, 20, c.pale),
          line("M90 200 L120 240 M120 200 L90 240", c.accent, 4),
          line("M286 196 L340 220 L286 244", c.accent, 6),
        )
      : oval(200, 240, 142, 72, c.dark) +
        oval(200, 228, 142, 72, c.main) +
        oval(200, 232, 92, 40, c.deep) +
        oval(200, 246, 74, 22, c.light) +
        area("M238 206 Q260 186 280 214 Q280 236 262 246 Q250 226 238 206 Z", c.accent) +
        line("M86 204 Q130 166 196 164", c.pale, 6) +
        ring(72, 228, 9, c.ink, 4) +
        ring(328, 228, 9, c.ink, 4) +
        waves(c.white);

function waves(colour: string): string {
  return repeat(3, (i) => line(`M${70 + i * 96} ${322 + (i % 2) * 8} q16 -12 32 0 t32 0`, colour, 5));
}

export const WHEELS_AND_WATER_SHAPES = {
  "handlebar-bag": handlebarBag,
  "frame-bag": frameBag,
  "saddle-bag": saddleBag,
  pannier,
  pump,
  "dry-bag": dryBag,
  paddle,
  "life-vest": lifeVest,
  raft,
} as const satisfies Record<string, Draw>;
