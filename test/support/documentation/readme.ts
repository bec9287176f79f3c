import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { commandsOf, curl } from './curl.ts'
import { formatJson } from './json-text.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Marked block of code in a document, with the output that the next block shows. */
export interface Example {
  /** `sh` (calls of curl), `bash` (a script), `ts`, or a test for `vitest` or `node`. */
  readonly kind: string
  readonly code: string
  /** Output in the document; undefined if there is none. */
  readonly documentedOutput: string | undefined
}

const exampleForm =
  /<!-- run( vitest| bash| node)? -->\n```(sh|ts|js)\n([\s\S]*?)```\n(?:\n```(?:json|text)\n([\s\S]*?)```\n)?/g

/** Returns the examples of a document, in order. */
export function examplesOf(readme: string): readonly Example[] {
  return [...readme.matchAll(exampleForm)].map(
    ([, named, language = '', code = '', documentedOutput]) => ({
      kind: named?.trim() ?? language,
      code,
      documentedOutput,
    }),
  )
}

/**
 * Returns documents with the output of their examples updated. All examples run against one server.
 * Throws if an example has output but no block for it, or a block but no output.
 */
export async function withOutput(documents: readonly string[]): Promise<readonly string[]> {
  const outputs = await runExamples(documents.flatMap(examplesOf))
  let position = 0
  const renew = (text: string) =>
    text.replaceAll(exampleForm, (example, _named, _language, _code, documentedOutput?: string) => {
      const output = outputs[position++]
      if ((documentedOutput === undefined) !== (output === '')) {
        throw new Error(`an example with a block for output too many or missing:\n${example}`)
      }
      if (documentedOutput === undefined) return example
      return example.slice(0, -(documentedOutput.length + '```\n'.length)) + output + '```\n'
    })
  return documents.map(renew)
}

/**
 * Runs examples in order against one server. Returns the output of each example in the form in
 * which documents show it.
 */
export async function runExamples(examples: readonly Example[]): Promise<readonly string[]> {
  await using understudy = await createUnderstudy({
    seed: 'readme',
    clock: 'frozen@2026-01-01T00:00:00Z',
  })
  const origin = await understudy.listen()
  const outputs: string[] = []
  for (const { kind, code } of examples) {
    if (kind === 'bash') outputs.push(await runScript(code))
    else outputs.push(kind === 'sh' ? await runShell(code, origin) : await runProgram(kind, code))
  }
  return outputs
}

async function runShell(code: string, origin: string): Promise<string> {
  const bodies: string[] = []
  for (const command of commandsOf(code)) bodies.push(await curl(command, origin))
  return bodies
    .filter((body) => body !== '')
    .map((body) => `${formatJson(JSON.parse(body))}\n`)
    .join('')
}

/**
 * Runs a script in the root of the project, like a reader of the README. Returns its standard
 * output.
 */
async function runScript(code: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', code], {
    cwd: root,
    timeout: 120_000,
    env: { PATH: process.env['PATH'] },
  })
  return stdout
}

const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/**
 * Name of the file that holds a program, and the arguments with which Node runs the program, by
 * kind of program.
 */
const programs: Readonly<Record<string, Program>> & { readonly ts: Program } = {
  ts: { name: 'example.mts', args: (_, file) => ['--import', import.meta.resolve('tsx'), file] },
  vitest: { name: 'example.test.ts', args: (folder) => [vitest, 'run', '--root', folder] },
  node: { name: 'example.test.mjs', args: (_, file) => ['--test', file] },
}

interface Program {
  readonly name: string
  args(folder: string, file: string): readonly string[]
}

/**
 * Runs a program with the built package installed. Returns its standard output; for a test runner,
 * an empty string.
 */
async function runProgram(kind: string, code: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-readme-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/infra-understudy'))
    symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
    const { name, args } = programs[kind] ?? programs.ts
    const file = join(folder, name)
    writeFileSync(file, code)
    const { stdout } = await promisify(execFile)(process.execPath, args(folder, file), {
      cwd: folder,
      env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    })
    return kind === 'ts' ? stdout : ''
  } finally {
    rmSync(folder, { recursive: true })
  }
}
