/** The learned order of visits as a trial. */
import { type Judged, type Lab, prepareLab } from "./lab.js";
import { PARTS } from "./parts.js";
import { type Figure, hitsOf, type Trial } from "./trial.js";
import { judgeAlone, learnWithout } from "./variant.js";

/** Learns from `steps` steps of train; every `every`-th session of dev asks. */
export function visitTrial(name: string, every: number, steps: number): Trial {
  const lab = prepareLab(name, every, steps);
  return {
    name,
    asked: `${lab.learned.answers.length} steps learned from, ${lab.dev.answers.length} of dev judge`,
    figures: ["HR@20", "MRR@20", "new: HR@20", "new: MRR@20"],
    parts: PARTS.map((part) => part.name),
    learn(without, seed) {
      const parts = PARTS.filter((part) => without.includes(part.name));
      const features = parts.flatMap((part) => part.features);
      const proposers = parts.flatMap((part) => part.proposers);
      const { judged, seconds, candidates } = learnWithout(lab, { features, proposers }, seed);
      return { figures: figuresOf(lab, judged), seconds, candidates };
    },
    alone: PARTS.flatMap((part) =>
      part.alone ? [{ name: part.name, figures: figuresOf(lab, judgeAlone(lab, part.alone)) }] : [],
    ),
  };
}

function figuresOf({ dev: { units } }: Lab, { all, fresh }: Judged): readonly Figure[] {
  return [hitsOf(all), all, hitsOf(fresh), fresh].map((values) => ({ values, units }));
}
