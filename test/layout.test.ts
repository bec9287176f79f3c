import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { fileOf, readDocument } from './support/files.ts'

/** Folders of code, and the folder of their tests. */
const folders = ['state', 'routes', 'src', 'inspector', 'scripts', 'test']

const codeFiles = folders.flatMap((folder) =>
  readdirSync(fileOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file)),
)

test('a folder has at most 30 files of code side by side', () => {
  const counts = new Map<string, number>()
  for (const file of codeFiles) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  expect([...counts].filter(([, count]) => count > 30)).toEqual([])
})

test('a file of code has at most 350 lines', () => {
  const long = codeFiles
    .filter((file) => !file.startsWith('test/'))
    .map((file) => [file, readDocument(file).split('\n').length - 1] as const)
    .filter(([, lines]) => lines > 350)
  expect(long).toEqual([])
})
