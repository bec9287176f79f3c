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
import { removeReadyFile, writeReadyFile } from '../../../src/cli/ready-file.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-ready-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('behaviour/program#command: the file of --ready-file', () => {
  test('is readable by its owner alone and leaves no draft', () => {
    const folder = temporaryFolder()
    const file = join(folder, 'ready.json')
    writeFileSync(file, 'stale')
    removeReadyFile(file)
    expect(readdirSync(folder)).toEqual([])
    writeReadyFile(file, { port: 1 })
    expect(readdirSync(folder)).toEqual(['ready.json'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ port: 1 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is refused where a folder or a device is, which stays as it is', () => {
    const folder = temporaryFolder()
    const taken = join(folder, 'taken')
    mkdirSync(taken)
    for (const path of [taken, '/dev/null']) {
      expect(() => removeReadyFile(path)).toThrow(
        `--ready-file: ${path} exists and is not a regular file`,
      )
    }
    expect(statSync(taken).isDirectory()).toBe(true)
    expect(() => writeReadyFile(taken, {})).toThrow(/^--ready-file: cannot write /)
    expect(readdirSync(folder)).toEqual(['taken'])
  })

  test('is refused in a folder that does not exist', () => {
    const file = join(temporaryFolder(), 'none', 'ready.json')
    expect(() => writeReadyFile(file, {})).toThrow(/^--ready-file: cannot write /)
  })
})
