import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { flags } from '../../../src/cli/flags/flags.ts'
import { removeOutputFile, writeOutputFile } from '../../../src/cli/output-file.ts'

const remove = (file: string) => removeOutputFile(flags.readyFile, file)
const write = (file: string, text: string) => writeOutputFile(flags.readyFile, file, text)

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-ready-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('behaviour/program#command: the file of --ready-file', () => {
  test('is readable only by its owner and leaves no draft', () => {
    const folder = temporaryFolder()
    const file = join(folder, 'ready.json')
    writeFileSync(file, 'stale')
    remove(file)
    expect(readdirSync(folder)).toEqual([])
    write(file, '{"port":1}')
    expect(readdirSync(folder)).toEqual(['ready.json'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ port: 1 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is refused where a folder or a device is, which stays as it is', () => {
    const folder = temporaryFolder()
    const taken = join(folder, 'taken')
    mkdirSync(taken)
    for (const path of [taken, '/dev/null']) {
      expect(() => remove(path)).toThrow(`--ready-file: ${path} exists and is not a regular file`)
    }
    expect(statSync(taken).isDirectory()).toBe(true)
    expect(() => write(taken, '')).toThrow(/^--ready-file: cannot write /)
    expect(readdirSync(folder)).toEqual(['taken'])
  })

  test('is refused in a folder that does not exist', () => {
    const file = join(temporaryFolder(), 'none', 'ready.json')
    expect(() => write(file, '')).toThrow(/^--ready-file: cannot write /)
  })
})
