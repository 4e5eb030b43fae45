import { department } from "./notation.js";

const PACKS = `
ramble-22 | daypack | moss | 79.00 | Larkfell | Ramble 22 daypack | day-hike, daily | volume=22 l
  Daypack of 22 litres for hikes and the way to work. Padded back, two bottle pockets and room for a rain jacket and lunch.
ramble-28 | daypack/1 | plum | 95.00 | Larkfell | Ramble 28 daypack | day-hike, hut | volume=28 l
  Daypack of 28 litres with an airy mesh back, made for long day hikes and a night in a hut. Loops for trekking poles.
swift-12 | daypack/1 | ember | 89.00 | Stavholm | Swift 12 running vest pack | running, lightweight | volume=12 l
  Vest-style pack that does not bounce on trail runs. Soft bottle pockets in front, room for a wind jacket behind.
hauler-45 | backpack | lake | 179.00 | Larkfell | Hauler 45 backpack, S/M | trekking, hut, three-season | group=hauler-45; volume=45 l; size=S/M
  Trekking backpack of 45 litres for short backs. Adjustable harness, opening at the bottom for the sleeping bag.
hauler-45-long | backpack | lake | 179.00 | Larkfell | Hauler 45 backpack, M/L | trekking, hut, three-season | group=hauler-45; volume=45 l; size=M/L
  Trekking backpack of 45 litres for long backs, with an adjustable harness and a separate opening for the sleeping bag.
hauler-65 | backpack/1 | rust | 229.00 | Larkfell | Hauler 65 backpack | trekking, expedition | volume=65 l
  Load carrier of 65 litres for two weeks with a tent. The hip belt takes the weight, the lid turns into a hip pack.
gossamer-38 | backpack | snow | 199.00 | Stavholm | Gossamer 38 ultralight pack | lightweight, fast | volume=38 l; weight=620 g
  Frameless ultralight backpack of 620 g in woven laminate that sheds rain. For people who have weighed their toothbrush.
sprout-15 | daypack/2 | sun | 49.00 | Larkfell | Sprout 15 children's daypack | children, family, day-hike | volume=15 l
  Small backpack for children from five years, with a chest clip, a whistle and a pocket for found stones.
pocket-hip | hip-pack | clay | 39.00 | Larkfell | Pocket hip pack | daily, travel | volume=3 l
  Hip pack of three litres for keys, phone and snacks. Worn in front on a hike, across the chest in town.
pack-cover-s | rain-cover | sun | 19.00 | Larkfell | Rain cover for 20-30 litre packs | rain, protection
  Waterproof cover with an elastic hem that keeps a daypack dry in a downpour. Packs into its own corner.
pack-cover-l | rain-cover/1 | ember | 24.00 | Larkfell | Rain cover for 45-65 litre packs | rain, protection
  Waterproof cover for trekking backpacks, with a strap so that wind does not take it. Bright in fog.
stuff-trio | stuff-sack | heather | 29.00 | Larkfell | Stuff sack trio | organise, lightweight
  Three colour-coded stuff sacks of 4, 8 and 12 litres that bring order into a backpack: clothes, food, and everything else.
`;

const BOOTS = `
moorland-mid | boot | rust | 189.00 | Stavholm | Moorland Mid hiking boot | hiking, leather, waterproof | group=moorland-mid; fit=men
  Waterproof hiking boot of waxed leather with a grippy rubber sole. Supports the ankle on rough paths with a heavy pack.
moorland-mid-w | boot/1 | plum | 189.00 | Stavholm | Moorland Mid hiking boot, women | hiking, leather, waterproof | group=moorland-mid; fit=women
  Waterproof hiking boot of waxed leather on a narrower last for women's feet. Ankle support and a grippy rubber sole.
cragstep | boot/2 | charcoal | 259.00 | Stavholm | Cragstep mountain boot | mountain, winter, crampon
  Stiff mountain boot for scree, snow and light crampons. Insulated lining, rubber rand all around, can be resoled.
heathrunner | shoe | ember | 139.00 | Stavholm | Heathrunner trail running shoe | running, lightweight
  Light trail running shoe with deep lugs for muddy paths and a cushioned heel for the long way home.
pathway-low | shoe/2 | moss | 129.00 | Stavholm | Pathway Low walking shoe | walking, daily, waterproof
  Low waterproof walking shoe for forest paths and city rain. Soft from the first day, no breaking in.
scree-approach | shoe/1 | slate | 149.00 | Stavholm | Scree approach shoe | mountain, climbing
  Approach shoe with sticky rubber at the toe for easy climbing and long descents. Laced to the front like a climbing shoe.
ford-sandal | sandal | sand | 79.00 | Stavholm | Ford river sandal | summer, water, camp
  Sandal with quick-drying straps that grips on wet stones. For river crossings, summer hikes and evenings at camp.
camp-slipper | sandal/1 | heather | 49.00 | Quillmoor | Down camp slippers | winter, hut, comfort
  Insulated slippers with a foam sole for cold tents and hut floors. They pack as small as an apple.
marsh-gaiter | gaiter | pine | 45.00 | Stavholm | Marsh gaiters | winter, mud, protection
  High waterproof gaiters that keep mud, snow and ticks out of the boots. Hook-and-loop front, strap under the sole.
step-insole | insole | sun | 32.00 | Stavholm | Step wool insoles | comfort, winter, wool
  Insoles of felted wool with an arch support of cork. Warm in winter boots, kind to the knees on descents.
round-laces | laces | ember | 6.90 | Stavholm | Round boot laces 150 cm | repair, spare
  Hard-wearing round laces for hiking boots with six to eight eyelets. A spare pair belongs in every repair kit.
junior-trek | boot | sky | 89.00 | Stavholm | Junior Trek children's boot | children, family, waterproof
  Waterproof hiking boot for children with a quick lace that small hands can close. Soft collar, sturdy toe.
`;

const POLES = `
strider-poles | poles | ember | 79.00 | Stavholm | Strider trekking poles | trekking, aluminium
  Pair of three-section aluminium trekking poles with cork grips. They save the knees downhill and hold up a tarp at night.
feather-poles | poles/1 | charcoal | 149.00 | Stavholm | Feather carbon poles | trekking, lightweight, running
  Folding carbon poles of 190 g each for fast hikes and trail runs. They unfold with one pull and vanish into a running vest.
winter-baskets | pole-baskets | snow | 9.90 | Stavholm | Winter baskets for poles | winter, spare
  A pair of wide snow baskets that screw onto Strider and Feather poles, so that they do not sink in soft snow.
true-compass | compass | berry | 35.00 | Tarnbeck | True baseplate compass | navigation, map
  Baseplate compass with a magnifier, a slope scale and a mirror-free design that lies flat on a map.
fell-map-north | map | moss | 14.50 | Tarnbeck | Walking map Northern Fells 1:25,000 | navigation, map, hiking
  Waterproof walking map of the Northern Fells with paths, huts and springs at a scale of 1:25,000.
fell-map-lakes | map | lake | 14.50 | Tarnbeck | Walking map Lake Country 1:25,000 | navigation, map, paddling
  Waterproof map of Lake Country with paths, put-ins, campsites and portages at a scale of 1:25,000.
map-case | phone-case/1 | slate | 22.00 | Kelpwater | Roll-top map case | navigation, rain, waterproof
  Clear waterproof case with a roll closure and a neck cord for a folded map or a tablet. Readable from both sides.
waymark-watch | watch | charcoal | 329.00 | Tarnbeck | Waymark GPS watch | navigation, running, gps
  GPS watch with altimeter, storm alarm and breadcrumb navigation back to the start. Forty hours of tracking on one charge.
waymark-mini | gps | sun | 219.00 | Tarnbeck | Waymark Mini handheld GPS | navigation, gps, expedition
  Handheld GPS with buttons that work in gloves and a screen that is readable in sunlight. Two AA cells last a long weekend.
lynx-8x25 | binoculars | pine | 129.00 | Tarnbeck | Lynx 8 x 25 pocket binoculars | wildlife, gift
  Pocket binoculars with eight-fold magnification for birds and far ridges. Waterproof, 320 g, with a soft case.
altimeter | compass/1 | slate | 59.00 | Tarnbeck | Barograph pocket altimeter | navigation, weather
  Mechanical altimeter and barometer on a lanyard, needs no battery. Shows height in steps of ten metres and warns of falling pressure.
trail-journal | book | clay | 16.00 | Larkfell | Waterproof trail journal | gift, writing
  Notebook of stone paper that takes pencil in the rain. Dotted pages, a table for tours and a loop for the pencil.
`;

export const TRAIL = department("trail", "Trail", [
  { id: "packs", name: "Backpacks", blurb: "From three litres to two weeks.", code: "PAC", text: PACKS },
  {
    id: "boots",
    name: "Footwear",
    blurb: "Boots, shoes and everything between sole and sock.",
    code: "FOO",
    text: BOOTS,
  },
  {
    id: "navigation",
    name: "Poles & navigation",
    blurb: "Keep your balance and your bearings.",
    code: "NAV",
    text: POLES,
  },
]);
