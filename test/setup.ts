import fc from "fast-check";

// Property tests draw new cases in every run of a developer, and the same ones in CI, so that a red run there can be
// repeated: what a new seed finds at a desk becomes a test of its own.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });
