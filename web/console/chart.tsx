/**
 * Curves over a few steps, on a canvas. Show the same figures in a table, since screen readers cannot read a canvas.
 */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

export interface Curve {
  readonly name: string;
  /** One value a step; undefined for none. */
  readonly values: readonly (number | undefined)[];
  readonly isDashed: boolean;
}

const COLOURS = 5;
const HEIGHT = 260;

export function Chart(props: {
  readonly label: string;
  readonly steps: readonly string[];
  readonly stepsLabel: string;
  readonly curves: readonly Curve[];
}) {
  const { label, steps, stepsLabel, curves } = props;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let plot = draw(element, steps, stepsLabel, curves);
    const anew = () => {
      plot.destroy();
      plot = draw(element, steps, stepsLabel, curves);
    };
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    scheme.addEventListener("change", anew);
    resized.observe(element);
    return () => {
      scheme.removeEventListener("change", anew);
      resized.disconnect();
      plot.destroy();
    };
  }, [steps, stepsLabel, curves]);
  return (
    <>
      <div class="chart" role="img" aria-label={`${label}; the table below has the figures`} ref={place} />
      <ul class="legend">
        {curves.map(({ name, isDashed }, index) => (
          <li key={name}>
            <i class={isDashed ? "dashed" : ""} style={{ color: `var(${colourName(index)})` }} />
            {name}
          </li>
        ))}
      </ul>
    </>
  );
}

function draw(element: HTMLElement, steps: readonly string[], stepsLabel: string, curves: readonly Curve[]): uPlot {
  const colour = (name: string) => resolved(element, name);
  const grid = { stroke: colour("--line"), width: 1 };
  const axis = { stroke: colour("--muted"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.15, steps.length - 0.85] },
      y: { range: (_plot, _least, most) => [0, most * 1.1 || 1] },
    },
    axes: [
      {
        ...axis,
        label: stepsLabel,
        labelFont: axis.font,
        splits: () => steps.map((_, index) => index),
        values: () => [...steps],
      },
      { ...axis, size: 56, values: (_plot, shares) => shares.map((share) => `${Number((100 * share).toFixed(1))} %`) },
    ],
    series: [
      {},
      ...curves.map(({ name, isDashed }, index) => ({
        label: name,
        stroke: colour(colourName(index)),
        width: index === 0 ? 3 : 2,
        points: { show: true, size: 6 },
        ...(isDashed && { dash: [6, 4] }),
      })),
    ],
  };
  const columns = curves.map(({ values }) => steps.map((_, index) => values[index] ?? null));
  return new uPlot(options, [steps.map((_, index) => index), ...columns], element);
}

function colourName(index: number): string {
  return `--series-${(index % COLOURS) + 1}`;
}

/** A colour for the canvas: the browser must compute its variable first. */
function resolved(element: HTMLElement, name: string): string {
  const before = element.style.color;
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = before;
  return color;
}
