import { department } from "./notation.js";

const BIKE = `
roost-bar-bag | handlebar-bag | moss | 89.00 | Spindrake | Roost handlebar roll | bikepacking, waterproof | volume=14 l
  Waterproof handlebar roll of 14 litres for a tent or sleeping bag. Opens at both ends and sits firm on gravel.
wedge-frame-bag | frame-bag | charcoal | 79.00 | Spindrake | Wedge frame bag | bikepacking, waterproof | volume=4 l
  Frame bag of four litres for tools, pump and snacks. Slim enough that the knees never touch it.
wedge-frame-bag-l | frame-bag/1 | slate | 95.00 | Spindrake | Wedge frame bag, large | bikepacking, waterproof | volume=6 l
  Frame bag of six litres that fills the triangle of tall frames. Divider for tools below and food above.
tail-saddle-bag | saddle-bag | ember | 109.00 | Spindrake | Tail saddle bag | bikepacking, waterproof | volume=12 l
  Saddle bag of 12 litres with a stiff base that does not sway. Clothes go in dry and come out dry.
voyager-panniers | pannier | lake | 139.00 | Spindrake | Voyager panniers, pair | touring, waterproof | volume=40 l
  Pair of waterproof roll-top panniers for bicycle tours, 20 litres each. Click on and off any rack with one hand.
market-pannier | pannier/1 | rust | 69.00 | Spindrake | Market single pannier | daily, commuting | volume=18 l
  Single pannier that turns into a shoulder bag for the market and the office. Reflective side, laptop sleeve.
top-tube-pouch | hip-pack/1 | plum | 35.00 | Spindrake | Crumb top-tube pouch | bikepacking, snacks | volume=1 l
  Small pouch behind the stem for snacks, phone and power bank, opened with one hand while riding.
cage-bottle | bottle | sky | 14.00 | Spindrake | Spring cycling bottle 750 ml | cycling, drinking
  Squeeze bottle for every bottle cage, with a cap that keeps out mud. Comes apart for washing.
mini-pump | pump | charcoal | 39.00 | Spindrake | Gust mini pump | cycling, repair
  Aluminium mini pump with a hose for both valve types. Mounts beside the bottle cage and reaches 7 bar.
nine-tool | multitool | berry | 32.00 | Spindrake | Nine-function bike tool | cycling, repair, tool
  Folding bike tool with hex keys, screwdrivers and a chain breaker. The repairs of a tour in one pocket.
tube-kit | patches/1 | sun | 8.50 | Spindrake | Puncture repair kit | cycling, repair, spare
  Six patches, glue, sandpaper and two tyre levers in a tin. Fixes a flat tyre in ten minutes by the roadside.
gravel-gloves | gloves | moss | 35.00 | Spindrake | Gravel cycling gloves | cycling, summer, bikepacking
  Fingerless cycling gloves with gel pads against numb hands on gravel roads. Terry thumb for the forehead.
`;

const PADDLE = `
minnow-raft | raft | sun | 549.00 | Kelpwater | Minnow packraft | packraft, lightweight, paddling | persons=1; weight=2.4 kg
  Inflatable packraft for one that fits in a backpack, 2.4 kg. For lakes and easy rivers at the end of a hike.
heron-kayak | raft/1 | ember | 689.00 | Kelpwater | Heron inflatable kayak for two | family, paddling, touring | persons=2
  Inflatable touring kayak for two with a stiff high-pressure floor. Packed in the car boot, afloat in fifteen minutes.
drift-board | raft/2 | sky | 459.00 | Kelpwater | Driftline touring SUP board | paddling, summer | out
  Inflatable stand-up board with a pointed nose that keeps its course on lakes. Deck net for a dry bag.
reach-paddle | paddle | charcoal | 119.00 | Kelpwater | Reach four-piece paddle | paddling, packraft, lightweight
  Four-piece double paddle of glass fibre for packraft and kayak. The sections fit into a 45 litre backpack.
reach-paddle-sup | paddle/1 | lake | 89.00 | Kelpwater | Reach SUP paddle | paddling, summer
  Three-piece adjustable paddle for stand-up boards, floats if you drop it.
otter-vest | life-vest | ember | 99.00 | Kelpwater | Otter buoyancy vest | paddling, safety
  Buoyancy vest with freedom for the arms, a knife patch and a front pocket. For kayak, packraft and board.
otter-vest-kids | life-vest | sun | 69.00 | Kelpwater | Otter Kids life vest | children, family, paddling, safety
  Life vest for children that turns the face upwards, with a handle at the collar and a crotch strap.
seal-bag-10 | dry-bag | lake | 24.00 | Kelpwater | Seal dry bag 10 litres | waterproof, paddling, storage | volume=10 l
  Roll-top dry bag for a change of clothes. Welded seams, floats, clips to the deck.
seal-bag-20 | dry-bag | ember | 32.00 | Kelpwater | Seal dry bag 20 litres | waterproof, paddling, storage | volume=20 l
  Roll-top dry bag that takes a sleeping bag and keeps it dry through a capsize. Welded seams.
seal-pack-40 | dry-bag/1 | pine | 79.00 | Kelpwater | Seal dry backpack 40 litres | waterproof, paddling, portage | volume=40 l
  Waterproof roll-top backpack with padded straps for portages between lakes and very wet bike rides.
fin-phone-case | phone-case | sky | 19.00 | Kelpwater | Fin waterproof phone case | waterproof, paddling, travel
  Clear case that keeps a phone dry down to five metres and lets you take pictures through the window. It floats.
throw-line | cord | ember | 49.00 | Kelpwater | Throw line rescue bag 15 m | safety, paddling
  Rescue bag with 15 metres of floating rope for the river bank. Bright, quick to repack, belongs in every group.
neo-shoes | shoe/2 | charcoal | 45.00 | Kelpwater | Neo paddling shoes | paddling, water, warm
  Neoprene shoes with a thin rubber sole for cold water and slippery landings.
`;

export const WHEELS_AND_WATER = department("wheels-and-water", "Wheels & water", [
  { id: "bikepacking", name: "Bikepacking", blurb: "Bags and tools for a night out by bike.", code: "BIK", text: BIKE },
  { id: "paddling", name: "Paddling", blurb: "Rafts, paddles and bags that stay dry.", code: "PAD", text: PADDLE },
]);
