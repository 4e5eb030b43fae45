/** The configuration cannot be used. The message is one line for the operator; the process ends with `exitCode`. */
export class ConfigError extends Error {
  readonly exitCode = 2;

  constructor(setting: Setting, accepted: string) {
    super(`${nameOf(setting)}: ${accepted}`);
    this.name = "ConfigError";
  }
}

/** A setting as an operator writes it. */
export interface Setting {
  readonly flag: string;
  readonly variable?: string;
}

/** The setting in a line about it. */
export function nameOf({ flag, variable }: Setting): string {
  return variable === undefined ? flag : `${flag} (${variable})`;
}
