import { department } from "./notation.js";

const TENTS = `
lark-1 | tent-dome | moss | 219.00 | Larkfell | Lark 1 solo tent | solo, three-season, lightweight | persons=1; weight=1.4 kg
  One-person three-season tent of ripstop nylon, 1.4 kg with poles. It pitches in four minutes and the porch keeps boots out of the rain.
lark-2 | tent-dome/1 | ember | 279.00 | Larkfell | Lark 2 tent, ember | two-person, three-season, lightweight | group=lark-2; persons=2; weight=1.9 kg
  Two-person three-season dome tent with two doors and two porches, 1.9 kg. Colour-coded poles make it an easy first tent.
lark-2-sand | tent-dome/1 | sand | 279.00 | Larkfell | Lark 2 tent, sand | two-person, three-season, lightweight | group=lark-2; persons=2; weight=1.9 kg
  The two-person three-season dome tent in a quiet sand tone that disappears among dunes. Two doors, two porches, 1.9 kg.
fell-house-4 | tent-tunnel | lake | 449.00 | Larkfell | Fell House 4 family tent | family, campsite, summer | persons=4
  Tunnel tent for a family of four with standing height, a darkened bedroom and a living room for rainy afternoons. Made for a week on the campsite.
fell-house-6 | tent-tunnel/2 | pine | 629.00 | Larkfell | Fell House 6 family tent | family, campsite, summer | persons=6
  Six-person tunnel tent with two separate bedrooms and a wide living room between them. Heavy to carry, generous to live in all summer.
stormcairn-2 | tent-dome/2 | berry | 589.00 | Tarnbeck | Stormcairn 2 four-season tent | two-person, winter, mountain | persons=2; weight=2.9 kg
  Geodesic four-season tent whose five crossing poles stand up to winter storms and snow load. Snow valances and a vent you can open from inside.
pedal-hut-1 | tent-dome/1 | slate | 329.00 | Tarnbeck | Pedal Hut 1 bikepacking tent | solo, bikepacking, lightweight | persons=1; weight=1.2 kg
  Solo tent with short pole sections that fit under a handlebar bag. The sack has daisy chains for strapping it to a fork or bar.
broadleaf-tarp | tarp | pine | 89.00 | Larkfell | Broadleaf tarp 3 x 3 m | shelter, lightweight, bushcraft
  Square tarp of silicone-coated ripstop with nineteen tie-out points. A roof for cooking in the rain or a whole shelter with two trekking poles.
porch-wing | tarp/1 | clay | 119.00 | Larkfell | Porch Wing sun sail | family, campsite, summer
  Sun sail of UV-resistant cotton blend that fits any tunnel tent and shades the table through a summer afternoon. Two steel poles included.
lark-footprint | groundsheet | charcoal | 34.00 | Larkfell | Lark 2 footprint | protection, lightweight
  Groundsheet cut to the floor of the Lark 2 tent. It keeps thorns and wet ground away from the tent floor and weighs 210 g.
fell-carpet | groundsheet/1 | rust | 59.00 | Larkfell | Fell House carpet | family, campsite, comfort
  Washable woven carpet for the living room of a Fell House family tent. Warm under bare feet and quick to shake out.
wye-pegs | pegs | ember | 19.50 | Tarnbeck | Wye tent pegs, set of 10 | pitching, lightweight
  Y-section tent pegs of hard aluminium that hold in stony ground. Ten pegs with pull cords in a small sack, 14 g each.
drift-pegs | pegs/1 | snow | 27.00 | Tarnbeck | Drift snow and sand pegs, set of 6 | pitching, winter, beach
  Broad U-section tent pegs with holes for loose ground: bury them flat in snow or drive them into beach sand. Six pegs.
glow-line | cord | sun | 9.90 | Tarnbeck | Glow reflective guy line, 20 m | pitching, repair
  Thin reflective cord with four line tensioners, for extra guy lines on a tent or tarp. Visible in the beam of a head torch, so nobody trips at night.
`;

const SLEEPING = `
drowse-5 | sleeping-bag | lake | 129.00 | Quillmoor | Drowse 5 sleeping bag | summer, synthetic, first-camp | group=drowse-5; size=Regular; comfort=5 °C
  Synthetic sleeping bag for summer nights down to 5 °C. Soft recycled polyester, washable at home, opens flat as a blanket.
drowse-5-long | sleeping-bag | lake | 139.00 | Quillmoor | Drowse 5 sleeping bag, long | summer, synthetic, tall | group=drowse-5; size=Long; comfort=5 °C
  The summer sleeping bag for people up to 2.00 m. Same synthetic filling, washable at home, comfortable to 5 °C.
drowse-junior | sleeping-bag/1 | sun | 69.00 | Quillmoor | Drowse Junior sleeping bag | children, family, summer | comfort=8 °C
  Sleeping bag for children that grows by 30 cm with a zip at the foot end. Cosy synthetic filling for summer campsites.
eider-0 | sleeping-bag | pine | 289.00 | Quillmoor | Eider 0 down sleeping bag | down, three-season, lightweight | comfort=0 °C
  Down sleeping bag for three seasons, 890 g and the size of a loaf of bread. Water-repellent down keeps it lofty in a damp tent.
eider-minus-12 | sleeping-bag | berry | 459.00 | Quillmoor | Eider -12 winter sleeping bag | down, winter, mountain | comfort=-12 °C; out
  Expedition sleeping bag of goose down for winter nights at -12 °C, with a draught collar and a hood that closes to a breathing hole.
featherfall-quilt | quilt | heather | 239.00 | Quillmoor | Featherfall down quilt | down, lightweight, bikepacking | comfort=4 °C
  Ultralight down quilt that clips to the sleeping mat instead of lying under you. 540 g for fast-and-light trips and warm sleepers.
cloudbank-mat | mat | ember | 119.00 | Quillmoor | Cloudbank air mat | lightweight, three-season | r-value=3.5
  Inflatable sleeping mat, 8 cm thick and 470 g, with a reflective layer against cold ground. The pump sack doubles as a stuff sack.
cloudbank-mat-wide | mat/1 | slate | 139.00 | Quillmoor | Cloudbank air mat, wide | comfort, three-season | r-value=3.5
  Wide inflatable sleeping mat for side sleepers, 64 cm across. Quiet fabric, flat valve, insulation for three seasons.
hayloft-mat | mat | rust | 89.00 | Larkfell | Hayloft self-inflating mat | family, campsite, comfort | r-value=5
  Thick self-inflating foam mat for the family tent: open the valve, unpack the car, and the bed is ready.
foldaway-mat | foam-mat | moss | 32.00 | Larkfell | Foldaway foam mat | budget, winter, first-camp | r-value=2
  Closed-cell foam mat that folds like an accordion. Nothing can puncture it; put it under an air mat in winter or sit on it at lunch.
nook-pillow | pillow | heather | 24.00 | Quillmoor | Nook inflatable pillow | comfort, lightweight
  Inflatable camping pillow with a brushed cover, 78 g. Small enough for a jacket pocket, kind to the neck on the second night.
silk-liner | liner | sand | 59.00 | Quillmoor | Silk sleeping bag liner | travel, hut, lightweight
  Mulberry silk liner for mountain huts and hostels. It keeps a sleeping bag clean and adds about 4 °C.
`;

const KITCHEN = `
pip-stove | stove | charcoal | 44.00 | Hearthlet | Pip gas stove | lightweight, solo, gas
  Folding gas stove of 82 g that screws onto a canister and boils half a litre in three minutes. Piezo igniter, no matches needed.
boiler-bell | stove/2 | ember | 119.00 | Hearthlet | Bell boiling system | fast, solo, gas
  Stove and pot in one with a heat exchanger: water for coffee or a dried meal in two minutes, even in wind. Canister and stove pack inside.
two-ring | stove/1 | lake | 99.00 | Hearthlet | Two-Ring camp stove | family, campsite, gas
  Two-burner stove with wind shields for cooking pasta and sauce at the same time. A table-top kitchen for the family campsite.
gas-230 | gas | sun | 7.50 | Hearthlet | Gas canister 230 g | fuel, gas
  Screw-on gas canister with a butane and propane mix that still burns near freezing. Lasts a couple for a weekend of cooking.
gas-450 | gas | rust | 11.50 | Hearthlet | Gas canister 450 g | fuel, gas, family
  Large screw-on gas canister for longer trips and two-ring stoves. Butane and propane mix, about twelve meals for four.
nest-pots | pot | slate | 59.00 | Hearthlet | Nest pot set, 2 litres | family, aluminium, cookware
  Two anodised aluminium pots and a pan that nest into each other, with a strainer lid and folding handles. Cooks for two to four.
titan-pot | pot/1 | snow | 49.00 | Hearthlet | Titan pot 750 ml | solo, titanium, lightweight
  Titanium pot for one with a lid that drains pasta. A 100 g gas canister and a small stove fit inside.
dawn-kettle | kettle | clay | 39.00 | Hearthlet | Dawn camp kettle | coffee, campsite, cookware
  Flat aluminium kettle for tea and coffee by the fire. It pours without dripping and takes 1.2 litres.
enamel-mug | mug | sky | 12.00 | Hearthlet | Enamel mug | campsite, coffee, gift
  Speckled enamel mug with a steel rim, 350 ml. For coffee in the morning, soup at noon and wine at the fire.
drip-cone | coffee | rust | 22.00 | Hearthlet | Drip folding coffee filter | coffee, lightweight, gift
  Folding pour-over filter of steel mesh that sits on any mug. No paper needed, flat in the pack, proper coffee at sunrise.
spork-trio | cutlery | moss | 9.50 | Hearthlet | Spork trio | cutlery, family
  Three sporks of plant-based plastic, spoon on one end and fork with a cutting edge on the other. Light and dishwasher safe.
fold-bowls | bowl | heather | 18.00 | Hearthlet | Fold bowls, set of 2 | cookware, lightweight
  Two silicone bowls that fold flat to the height of a finger. Heat-proof for porridge and noodles, easy to wipe clean.
ridge-flask | flask | pine | 34.00 | Hearthlet | Ridge vacuum flask 750 ml | winter, coffee, steel
  Stainless steel vacuum flask that keeps tea hot for a whole winter day. The cup on top is insulated too.
camp-meal | pouch | moss | 8.90 | Hearthlet | Lentil stew camp meal | food, lightweight, vegan
  Freeze-dried lentil stew with spinach, 620 kcal. Pour boiling water into the pouch, wait eight minutes, eat.
`;

const LIGHT = `
glim-300 | headlamp | ember | 39.00 | Lumenwick | Glim 300 head torch | night, lightweight | lumens=300
  Head torch with 300 lumens, a red night light and a beam you set with one button, even in gloves. Runs on three AAA cells.
glim-500-rc | headlamp/1 | lake | 69.00 | Lumenwick | Glim 500 rechargeable head torch | night, rechargeable, running | lumens=500
  Rechargeable head torch with 500 lumens for night runs and early alpine starts. Charges by USB-C in two hours, waterproof in rain.
glim-kids | headlamp | berry | 19.00 | Lumenwick | Glim Kids head torch | children, family, night | lumens=60
  Gentle head torch for children with a strap that opens under tension and a light that does not blind brothers and sisters.
firefly-lantern | lantern | sun | 45.00 | Lumenwick | Firefly tent lantern | campsite, family, rechargeable | lumens=250
  Rechargeable lantern that hangs from the tent ceiling or stands on the table. Warm dimmable light for sixty hours.
pocket-lantern | lantern/2 | moss | 24.00 | Lumenwick | Pocket collapsible lantern | lightweight, tent | lumens=120
  Lantern that collapses to the size of a biscuit and weighs 95 g. Soft white light for reading in a two-person tent.
storm-lantern | lantern/1 | rust | 58.00 | Lumenwick | Storm oil lantern | campsite, gift, classic
  Classic storm lantern for lamp oil with a glass chimney and a steel handle. Steady light on the terrace and the campsite table.
beam-torch | torch | charcoal | 35.00 | Lumenwick | Beam hand torch | night, safety | lumens=700
  Slim aluminium hand torch with a 180 m beam. Shockproof, floats in water and has a lanyard.
bike-beacon | torch/1 | ember | 54.00 | Lumenwick | Beacon bike light set | bikepacking, night, safety | lumens=400
  Rechargeable front and rear bike lights with rubber mounts for bars and seat posts. Visible from the side, waterproof, USB-C.
cell-10 | powerbank | slate | 42.00 | Lumenwick | Cell 10 power bank | power, rechargeable, travel | capacity=10000 mAh
  Power bank of 10,000 mAh in a rubber shell: two full charges for a phone or a week of head torch. Rain and dust do not trouble it.
cell-20 | powerbank/1 | pine | 69.00 | Lumenwick | Cell 20 power bank | power, rechargeable, expedition | capacity=20000 mAh
  Power bank of 20,000 mAh with two outlets for long trips without a socket. Works in the cold down to -10 °C.
sunleaf-panel | solar | lake | 99.00 | Lumenwick | Sunleaf folding solar panel | power, solar, expedition | watts=15
  Folding solar panel that straps to a backpack and charges a power bank while you walk. Three leaves, 15 watts, canvas cover.
fairy-line | string-light | sun | 26.00 | Lumenwick | Fairy Line camp string lights | campsite, family, gift | out
  Ten metres of warm string lights for awnings and tarps, with hooks and a USB plug. Turns a pitch into a small garden.
`;

export const CAMP = department("camp", "Camp", [
  {
    id: "tents",
    name: "Tents & shelters",
    blurb: "A dry night, from solo trips to family weeks.",
    code: "TEN",
    text: TENTS,
  },
  {
    id: "sleeping",
    name: "Sleeping",
    blurb: "Bags, mats and what makes the second night good.",
    code: "SLP",
    text: SLEEPING,
  },
  {
    id: "kitchen",
    name: "Camp kitchen",
    blurb: "Stoves, pots and proper coffee outdoors.",
    code: "KIT",
    text: KITCHEN,
  },
  {
    id: "light",
    name: "Light & power",
    blurb: "See the path, read a page, charge the phone.",
    code: "LIG",
    text: LIGHT,
  },
]);
