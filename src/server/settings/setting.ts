/** The configuration cannot be used. The message is one line for the operator; the process exits with `exitCode`. */
export class ConfigError extends Error {
  readonly exitCode = 2;

  constructor(setting: Setting, accepted: string) {
    super(`${nameOf(setting)}: ${accepted}`);
    this.name = "ConfigError";
  }
}

/** Flag and variable of a setting. */
export interface Setting {
  readonly flag: string;
  readonly variable?: string;
}

/** The setting's name in a line about it. */
export function nameOf({ flag, variable }: Setting): string {
  return variable === undefined ? flag : `${flag} (${variable})`;
}
