import { useCallback, useEffect, useState } from "preact/hooks";

export interface Load<T> {
  /** The last value; it stays during a reload. */
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  again(): void;
}

/** Loads when the page is shown, and again when one of `inputs` changes. A newer load cancels an older one. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Load<T> {
  const [state, setState] = useState<Omit<Load<T>, "again">>({ value: undefined, error: undefined, isLoading: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const giveUp = new AbortController();
    setState(({ value }) => ({ value, error: undefined, isLoading: true }));
    load(giveUp.signal).then(
      (value) => {
        if (!giveUp.signal.aborted) setState({ value, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!giveUp.signal.aborted) setState(({ value }) => ({ value, error, isLoading: false }));
      },
    );
    return () => giveUp.abort();
  }, [...inputs, round]);
  return { ...state, again: useCallback(() => setRound((number) => number + 1), []) };
}

/** An action on request. */
export interface Action<A extends readonly unknown[]> {
  readonly isRunning: boolean;
  readonly error: unknown;
  run(...args: A): Promise<boolean>;
}

/** `run` resolves with whether it succeeded; the failure stays in `error` until the next run. */
export function useAction<A extends readonly unknown[]>(act: (...args: A) => Promise<void>): Action<A> {
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({ isRunning: false, error: undefined });
  return {
    ...state,
    async run(...args) {
      setState({ isRunning: true, error: undefined });
      try {
        await act(...args);
        setState({ isRunning: false, error: undefined });
        return true;
      } catch (error) {
        setState({ isRunning: false, error });
        return false;
      }
    },
  };
}

/** The value once it has not changed for `ms`. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
