import { department } from "./notation.js";

const REPAIR = `
wash-in | bottle/2 | sky | 14.90 | Mendwell | Wash-in cleaner for shells | care, washing, waterproof
  Liquid cleaner without softener that washes rain jackets and restores their breathability. Enough for six machine washes.
spray-on | spray | lake | 17.90 | Mendwell | Spray-on waterproofing | care, waterproof, fluorine-free
  Fluorine-free spray that makes water bead on rain jackets, tents and packs again. Use after washing, then tumble dry.
down-wash | bottle/2 | heather | 12.90 | Mendwell | Down wash | care, washing, down
  Gentle soap for down jackets and sleeping bags that leaves the natural oils in the feathers. Rinse twice, dry with tennis balls.
wool-wash | bottle/2 | sand | 11.50 | Mendwell | Wool wash with lanolin | care, washing, wool
  Mild detergent for merino shirts and socks with a little lanolin. For hand wash or the wool programme.
boot-wax | tin | rust | 9.90 | Mendwell | Beeswax for leather boots | care, leather, waterproof
  Beeswax and pine resin in a tin. Warm the leather, rub it in, and the boots shed water for a month of hiking.
boot-brush | brush | clay | 8.50 | Mendwell | Boot brush | care, leather, cleaning
  Beech-wood brush with stiff and soft bristles for muddy hiking boots, a rubber edge for the lugs.
patch-set | patches | moss | 11.90 | Mendwell | Stick-on fabric patches | repair, tent, jacket
  Eight transparent and coloured patches that stick on tents, down jackets and rain wear. No sewing, survives the wash.
seam-seal | tube | slate | 9.50 | Mendwell | Seam sealer | repair, tent, waterproof
  Silicone sealer with a brush for leaking seams of tents and tarps. One tube does a two-person tent.
mat-glue | tube/1 | ember | 7.90 | Mendwell | Mat repair glue and patches | repair, mat
  Flexible glue with two patches for inflatable mats, packrafts and dry bags. Holds after four hours.
field-tape | tape | sun | 6.50 | Mendwell | Field repair tape | repair, spare, tent
  Strong fabric tape on a flat card: for torn tent poles, boot soles, book spines and blistered heels.
sewing-roll | sewing | berry | 16.50 | Mendwell | Sewing roll | repair, gift, tool
  Canvas roll with strong needles, waxed thread, buttons and buckles for repairs by the evening fire.
whittle-knife | knife | rust | 54.00 | Mendwell | Whittle folding knife | tool, bushcraft, gift
  Folding knife with a blade of carbon steel and a handle of walnut. For bread, kindling and whittling.
pocket-tool | multitool/1 | slate | 64.00 | Mendwell | Twelve-function pocket tool | tool, repair, camp
  Pliers, saw, screwdrivers and a blade in a steel pocket tool of 180 g. Straightens pegs and fixes stoves.
`;

const SAFETY = `
aid-kit-day | first-aid | berry | 29.00 | Mendwell | First aid kit, day | first-aid, day-hike
  Compact first aid kit for day hikes: plasters, bandage, tweezers and a guide that is understood under stress.
aid-kit-trek | first-aid | ember | 49.00 | Mendwell | First aid kit, trek | first-aid, expedition
  First aid kit for groups and long treks with pressure bandages, burn gel and a splint. Waterproof pouch.
blister-set | first-aid/1 | sky | 9.50 | Mendwell | Blister plasters | first-aid, hiking
  Ten gel plasters in three sizes that stay on heels and toes for days, even in wet boots.
rescue-blanket | blanket | sun | 7.50 | Mendwell | Rescue blanket | first-aid, winter, safety
  Gold and silver foil blanket against cold and shock. Weighs 60 g and belongs in every backpack.
bivvy-sack | liner/1 | ember | 44.00 | Tarnbeck | Bivvy emergency shelter sack | safety, mountain, winter
  Reflective emergency bag for an unplanned night on the mountain. Breathes a little, signals a lot.
loud-whistle | whistle | ember | 6.00 | Mendwell | Loud whistle | safety, children
  Pealess whistle that works wet and frozen, 100 decibels. Hangs on a pack strap or a life vest.
clear-filter | water-filter | lake | 49.00 | Mendwell | Clear squeeze water filter | water, lightweight, travel
  Hollow-fibre filter of 65 g that makes stream water safe to drink. Screws onto its bag and most bottles.
camp-filter | water-filter/1 | pine | 89.00 | Mendwell | Gravity camp water filter, 4 litres | water, family, campsite
  Hanging gravity filter for groups: fill the bag at the lake, cook with clean water ten minutes later.
water-tabs | blister-pack | sky | 9.90 | Mendwell | Water purification tablets | water, travel, spare
  Fifty tablets that disinfect a litre each in thirty minutes. The backup that never breaks.
soft-flask | bottle/1 | lake | 19.00 | Hearthlet | Soft flask 600 ml | running, drinking, lightweight
  Soft drinking flask that shrinks as you drink and does not slosh. Fits running vests and the squeeze filter.
midge-spray | spray/1 | moss | 11.90 | Mendwell | Midge and tick repellent | summer, insects, family
  Plant-based repellent against midges, mosquitoes and ticks that is kind to skin and fabrics. Six hours.
sun-cream | tube/2 | sun | 14.50 | Mendwell | Mountain sun cream SPF 50 | summer, sun, mountain
  Mineral sun cream without perfume for snow, water and high ridges. Small tube with a clip for the strap.
`;

export const CARE = department("care-and-safety", "Care & safety", [
  {
    id: "repair",
    name: "Care & repair",
    blurb: "Good things last when somebody looks after them.",
    code: "REP",
    text: REPAIR,
  },
  {
    id: "safety",
    name: "First aid & water",
    blurb: "Small, light, and missed only when not there.",
    code: "SAF",
    text: SAFETY,
  },
]);
