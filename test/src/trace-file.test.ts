import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '../../src/config-error.ts'
import { TraceFile, TraceFileError } from '../../src/trace-file.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the line of text that refuses a path. */
function refusal(path: string): string {
  try {
    new TraceFile(path).prepare('--trace')
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('expected a refusal')
}

describe('behaviour/program#traces: the path of a trace', () => {
  test('is refused where a folder, a device or a pipe is, which stays as it is', () => {
    const folder = temporaryFolder()
    const taken = join(folder, 'taken')
    mkdirSync(taken)
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const link = join(folder, 'link')
    symlinkSync('/dev/null', link)
    expect(refusal(taken)).toBe(`--trace: ${taken} is a folder; it must be a file`)
    expect(refusal('/dev/null')).toBe('--trace: /dev/null is a device; it must be a file')
    expect(refusal(pipe)).toBe(`--trace: ${pipe} is a pipe; it must be a file`)
    expect(refusal(link)).toBe(`--trace: ${link} is a device; it must be a file`)
    expect(readdirSync(folder).sort()).toEqual(['link', 'pipe', 'taken'])
    expect(statSync(pipe).isFIFO()).toBe(true)
  })

  test('is refused in a folder that does not exist, and below a file', () => {
    const folder = temporaryFolder()
    const none = join(folder, 'none', 't.html')
    expect(refusal(none)).toBe(`--trace: ${none} is in a folder that does not exist`)
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const below = join(file, 't.html')
    expect(refusal(below)).toBe(`--trace: ${below} is not below a folder: ${file} is a file`)
    expect(refusal(`${folder}/new/`)).toBe(
      `--trace: ${folder}/new/ is the name of a folder; it must be a file`,
    )
  })

  test('is refused if it is not a path', () => {
    const long = join(temporaryFolder(), 'x'.repeat(300))
    expect(refusal(long)).toMatch(/^--trace: .*x cannot be written \(ENAMETOOLONG: .*\)$/)
    expect(refusal('a\0b')).toMatch(/^--trace: .* cannot be written \(/)
  })
})

describe('behaviour/program#traces: the file', () => {
  test('replaces the file and the draft of earlier runs', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 't.html')
    writeFileSync(path, 'older')
    writeFileSync(`${path}.draft`, 'part')
    const file = new TraceFile(path)
    file.prepare('--trace')
    expect(readdirSync(folder)).toEqual([])
    await file.write('page')
    expect(readdirSync(folder)).toEqual(['t.html'])
    expect(readFileSync(path, 'utf8')).toBe('page')
  })

  test('is readable only by its owner if it keeps values', async () => {
    const path = join(temporaryFolder(), 't.html')
    await new TraceFile(path, true).write('page')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('is absent if it cannot be written', async () => {
    const folder = join(temporaryFolder(), 'gone')
    mkdirSync(folder)
    const file = new TraceFile(join(folder, 't.html'))
    file.prepare('--trace')
    rmSync(folder, { recursive: true })
    const error: unknown = await file.write('page').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TraceFileError)
    expect(String(error)).toMatch(/cannot write the trace .*t\.html \(ENOENT: /)
  })

  test('is absent if its writing is abandoned', async () => {
    const folder = temporaryFolder()
    const file = new TraceFile(join(folder, 't.html'))
    const writing = file.write('page')
    file.abandon()
    await expect(writing).rejects.toThrow('writing was abandoned')
    expect(existsSync(file.path)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })
})
