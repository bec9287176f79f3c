import { match } from 'node:assert/strict'
import { type CommandWorkplace, told } from './trials.ts'

/** The first ID of what a list tells as JSON. */
export async function firstId(workplace: CommandWorkplace, ...argv: string[]): Promise<string> {
  const rows: readonly { readonly ID: string }[] = JSON.parse(await told(workplace, ...argv))
  return rows[0]?.ID ?? ''
}

/** Runs the command, which must succeed, until it tells what is expected, and that it does sooner or later. */
export async function comesToTell(
  workplace: CommandWorkplace,
  expected: RegExp,
  ...argv: string[]
): Promise<void> {
  let text = await told(workplace, ...argv)
  for (let tries = 0; tries < 50 && !expected.test(text); tries++) {
    text = await told(workplace, ...argv)
  }
  match(text, expected)
}
