import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './process.ts'
import type { CapabilityResult, TestServer } from './results.ts'

/** Directory and server in which a product's own command is tested. */
export interface CommandSandbox {
  /** Writes a file into the directory. */
  write(name: string, text: string): void
  /** Runs the command to its end. */
  call(...argv: string[]): Promise<{ readonly code: number; readonly text: string }>
}

/** Function that throws unless the command prints what it prints against the real product. */
export type CommandTrial = (sandbox: CommandSandbox) => Promise<void>

/**
 * Returns a sandbox for the command at a path.
 *
 * @param env environment variables that contain the server's address
 */
export function sandboxFor(
  { folder }: TestServer,
  path: string,
  env: Readonly<Record<string, string>>,
): CommandSandbox {
  return {
    write: (name, text) => writeFileSync(join(folder, name), text),
    async call(...argv) {
      const { code, stdout, stderr } = await run(path, argv, { cwd: folder, env, limit: 60_000 })
      return { code, text: stdout + stderr }
    },
  }
}

/**
 * Runs trials in order, each from the state that the previous one left, and returns their results.
 */
export async function runTrials(
  client: Pick<CapabilityResult, 'client' | 'version' | 'language'>,
  trials: Readonly<Record<string, CommandTrial>>,
  sandbox: CommandSandbox,
): Promise<readonly CapabilityResult[]> {
  const results: CapabilityResult[] = []
  for (const [capability, trial] of Object.entries(trials)) {
    const outcome = await trial(sandbox).then(
      () => ({ outcome: 'passed' }) as const,
      (error: unknown) => ({ outcome: 'failed', message: String(error) }) as const,
    )
    results.push({ ...client, capability, ...outcome })
  }
  return results
}

/** Runs the command, which must succeed, and returns its output. */
export async function outputOf({ call }: CommandSandbox, ...argv: string[]): Promise<string> {
  const { code, text } = await call(...argv)
  if (code === 0) return text
  throw new Error(`${argv.join(' ')}: ${text}`)
}
