import { match, strictEqual } from 'node:assert/strict'

/** Where the scheduler's command is tried: a folder of its own, and a server that runs. */
export interface NomadWorkplace {
  /** Writes a file into the folder. */
  write(name: string, text: string): void
  /** Runs the command to its end. */
  call(...argv: string[]): Promise<{ readonly code: number; readonly text: string }>
}

/** Fails unless the command prints what it prints against the real agent. */
export type NomadTrial = (workplace: NomadWorkplace) => Promise<void>

/** Runs the command, which must succeed. */
export async function told({ call }: NomadWorkplace, ...argv: string[]): Promise<string> {
  const { code, text } = await call(...argv)
  strictEqual(code, 0, `${argv.join(' ')}: ${text}`)
  return text
}

/** The first ID of what a list tells as JSON. */
export async function firstId(workplace: NomadWorkplace, ...argv: string[]): Promise<string> {
  const rows: readonly { readonly ID: string }[] = JSON.parse(await told(workplace, ...argv))
  return rows[0]?.ID ?? ''
}

/** Runs the command, which must succeed, until it tells what is expected, and that it does sooner or later. */
export async function comesToTell(
  workplace: NomadWorkplace,
  expected: RegExp,
  ...argv: string[]
): Promise<void> {
  let text = await told(workplace, ...argv)
  for (let tries = 0; tries < 50 && !expected.test(text); tries++) {
    text = await told(workplace, ...argv)
  }
  match(text, expected)
}
