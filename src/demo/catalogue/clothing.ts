import { department } from "./notation.js";

const RAIN = `
drizzle-jacket | jacket | sun | 149.00 | Ulvsund | Drizzle rain jacket | rain, waterproof, hiking | group=drizzle-jacket; fit=men
  Waterproof rain jacket in two and a half layers with pit zips and a hood that turns with the head. Packs into its own pocket.
drizzle-jacket-w | jacket | berry | 149.00 | Ulvsund | Drizzle rain jacket, women | rain, waterproof, hiking | group=drizzle-jacket; fit=women
  Waterproof rain jacket cut for women, with pit zips and an adjustable hood. Two and a half layers, packs into its own pocket.
gale-shell | jacket/1 | lake | 349.00 | Ulvsund | Gale three-layer shell jacket | mountain, waterproof, winter
  Three-layer hardshell for mountain storms. Tough face fabric, helmet hood and long zips that open under a pack.
breeze-jacket | jacket/2 | sky | 89.00 | Ulvsund | Breeze wind jacket | wind, lightweight, running
  Wind jacket of 98 g that folds to the size of a fist. Takes the chill off a ridge or a trail run at dawn.
city-parka | jacket | pine | 229.00 | Ulvsund | Quay rain parka | rain, daily, recycled
  Long waterproof parka of recycled polyester for the bike ride to work and wet weekends by the sea.
drizzle-trousers | trousers | charcoal | 99.00 | Ulvsund | Drizzle rain trousers | rain, waterproof, hiking
  Waterproof overtrousers with full-length side zips: on and off over boots in a sudden shower.
gale-trousers | trousers/2 | slate | 249.00 | Ulvsund | Gale shell trousers | mountain, waterproof, winter
  Three-layer shell trousers with reinforced ankles and integrated gaiters for snow and crampons.
summit-trousers | trousers/1 | sand | 109.00 | Ulvsund | Moor hiking trousers | hiking, summer, quick-dry
  Stretchy hiking trousers that dry in an hour, with legs that zip off above the knee.
heron-poncho | poncho | moss | 59.00 | Ulvsund | Heron rain poncho | rain, festival, travel
  Poncho that covers you and the backpack at once. Opens flat as a groundsheet or a small tarp.
walker-umbrella | umbrella | plum | 45.00 | Ulvsund | Walker trekking umbrella | rain, sun, lightweight
  Trekking umbrella with a fibreglass frame that survives gusts. Silver on top, so it is shade in summer too.
rain-hat | hat | clay | 39.00 | Ulvsund | Brim waxed rain hat | rain, classic, cotton
  Waxed cotton hat with a brim that sends the rain past the collar. Softens with every season.
junior-drizzle | jacket/2 | ember | 69.00 | Ulvsund | Junior Drizzle rain jacket | children, family, rain
  Waterproof rain jacket for children with reflective dots and sleeves that grow by a hand's width.
`;

const WARM = `
ember-puffer | puffer | ember | 199.00 | Ulvsund | Cinder down jacket | down, winter, lightweight | group=ember-puffer
  Light down jacket of 360 g for cold camps and summit breaks. Water-repellent down in small chambers, stuffs into its pocket.
ember-puffer-pine | puffer | pine | 199.00 | Ulvsund | Cinder down jacket, pine | down, winter, lightweight | group=ember-puffer
  The light down jacket in dark pine. 360 g, water-repellent down, stuffs into its own pocket.
glow-vest | vest | heather | 119.00 | Ulvsund | Glow insulated vest | synthetic, daily, layering
  Insulated vest that keeps the core warm and the arms free. Synthetic filling that warms even when damp.
shepherd-fleece | fleece | sand | 99.00 | Ulvsund | Shepherd pile fleece | fleece, winter, classic
  Thick pile fleece with a stand-up collar and a chest pocket. The one that lives on the hut hook from October to April.
grid-fleece | fleece/1 | lake | 89.00 | Ulvsund | Grid fleece pullover | fleece, layering, hiking
  Thin grid fleece that breathes on the climb and warms on the ridge. Long zip, thumb loops, fits under a shell.
wool-overshirt | longsleeve/2 | rust | 129.00 | Woolmarch | Lodge wool overshirt | wool, daily, classic
  Boiled wool overshirt with horn buttons, warm as a jacket at the fire and neat enough for the inn.
fjord-beanie | beanie | berry | 29.00 | Woolmarch | Fjord wool beanie | wool, winter, gift
  Rib-knit beanie of merino wool with a turned brim. Warm, does not itch, fits under a hood.
tern-headband | beanie/1 | sky | 22.00 | Woolmarch | Tern merino headband | wool, running, winter
  Merino headband that covers the ears on cold runs and ski tours and lets the heat out on top.
pine-mittens | gloves/1 | pine | 59.00 | Ulvsund | Spruce insulated mittens | winter, waterproof, mountain
  Waterproof mittens with a removable fleece liner for winter hikes and snow work. Long cuffs, wrist leashes.
touch-gloves | gloves | charcoal | 32.00 | Woolmarch | Touch merino gloves | wool, running, daily
  Thin merino gloves with fingertips that work on a phone. Alone in autumn, as a liner in winter.
loop-scarf | neck | plum | 25.00 | Woolmarch | Loop merino neck tube | wool, winter, gift
  Seamless merino tube: scarf, cap, mask against blown snow. Cuts the wind and dries on the body.
hut-trousers | trousers/2 | slate | 149.00 | Ulvsund | Cinder insulated trousers | synthetic, winter, camp | out
  Insulated trousers that go over everything when the stove is on and the sun is gone. Side zips, synthetic filling.
`;

const BASE = `
meadow-tee | shirt | moss | 65.00 | Woolmarch | Meadow merino T-shirt | wool, summer, hiking | group=meadow-tee; fit=men
  Light merino T-shirt for hiking that stays fresh for days. Cool in the sun, warm in the evening, no smell in the hut.
meadow-tee-w | shirt | heather | 65.00 | Woolmarch | Meadow merino T-shirt, women | wool, summer, hiking | group=meadow-tee; fit=women
  Light merino T-shirt cut for women. Stays fresh for days of hiking, cool in the sun and warm in the evening.
frost-top | longsleeve | slate | 85.00 | Woolmarch | Frost merino long-sleeve | wool, winter, layering
  Long-sleeved merino base layer for winter days under fleece and shell. Flat seams, long back, thumb loops.
frost-leggings | leggings | charcoal | 79.00 | Woolmarch | Frost merino leggings | wool, winter, layering
  Merino leggings for ski tours, winter camps and cold sleepers. Soft waistband, flat seams.
dash-tee | shirt/1 | sun | 39.00 | Stavholm | Dash running T-shirt | running, summer, recycled
  Feather-light running shirt of recycled polyester with a mesh back. Dries while you drink your coffee.
dash-shorts | shorts | lake | 49.00 | Stavholm | Dash trail shorts | running, summer
  Trail running shorts with an inner brief and three stretch pockets for gel, key and phone.
sun-hoodie | longsleeve/1 | snow | 69.00 | Stavholm | Dune sun hoodie | summer, sun, paddling
  Airy hooded shirt with sun protection UPF 50 for paddling, glaciers and southern coasts. Covers neck and hands.
hike-socks | socks | rust | 22.00 | Woolmarch | Tread hiking socks | wool, hiking, socks
  Merino hiking socks with cushioned heel and toe that prevent blisters in heavy boots. One pair.
hike-socks-3 | socks/1 | moss | 57.00 | Woolmarch | Tread hiking socks, three pairs | wool, hiking, socks
  Three pairs of cushioned merino hiking socks in three greens: one on, one drying, one for the hut.
run-socks | socks/2 | ember | 16.00 | Woolmarch | Dash running socks | running, summer, socks
  Thin low running socks with a seamless toe and a heel tab against rubbing shoes.
winter-socks | socks/2 | berry | 29.00 | Woolmarch | Polar winter socks | wool, winter, socks
  Thick terry-knit merino socks for winter boots, snowshoes and cold feet in the sleeping bag.
boxer-merino | shorts/1 | charcoal | 42.00 | Woolmarch | Merino boxer shorts | wool, travel, layering
  Merino boxer shorts that wash in a sink and dry overnight. Two are enough for three weeks of travel.
`;

export const CLOTHING = department("clothing", "Clothing", [
  { id: "rain", name: "Rain & wind", blurb: "There is bad weather, and this is what for.", code: "RAI", text: RAIN },
  { id: "warm", name: "Warm layers", blurb: "Down, fleece and wool for cold mornings.", code: "WAR", text: WARM },
  { id: "base", name: "Base layers & socks", blurb: "What touches the skin decides the day.", code: "BAS", text: BASE },
]);
