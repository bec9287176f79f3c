import { match } from 'node:assert/strict'
import { type CommandSandbox, outputOf } from './trials.ts'

/** Returns the ID of the first row that a command lists as JSON. */
export async function firstId(sandbox: CommandSandbox, ...argv: string[]): Promise<string> {
  const rows: readonly { readonly ID: string }[] = JSON.parse(await outputOf(sandbox, ...argv))
  return rows[0]?.ID ?? ''
}

/** Runs the command repeatedly until its output matches. Every run must succeed. */
export async function waitForOutput(
  sandbox: CommandSandbox,
  expected: RegExp,
  ...argv: string[]
): Promise<void> {
  let text = await outputOf(sandbox, ...argv)
  for (let attempts = 0; attempts < 50 && !expected.test(text); attempts++) {
    text = await outputOf(sandbox, ...argv)
  }
  match(text, expected)
}
