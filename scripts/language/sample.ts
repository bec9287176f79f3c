import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sourceFiles } from './check.ts'
import { readSource } from './read-source.ts'

/** Returns random comments of a project, each with its file, its line and the code beside it. */
export function sampleComments(root: string, count: number, seed: string): readonly string[] {
  const comments = sourceFiles(root).flatMap((file) =>
    sourceOf(root, file).comments.map(({ line, lines, code }) => {
      const text = lines.filter((part) => part !== '').map((part) => `    ${part}\n`)
      return `${file}:${line}\n${text.join('')}  > ${code}`
    }),
  )
  return draw(comments, count, seed)
}

/**
 * Returns random names of declarations and files outside `test/`. Each name occurs once, with its
 * first declaration.
 */
export function sampleNames(root: string, count: number, seed: string): readonly string[] {
  const places = new Map<string, string>()
  const add = (name: string, place: string) => {
    if (!places.has(name)) places.set(name, place)
  }
  for (const file of sourceFiles(root)) {
    if (file.startsWith('test/')) continue
    add(basename(file).replace(/\..*/, ''), file)
    const { names, lineOf } = sourceOf(root, file)
    for (const { text, end, isDeclared } of names) {
      if (isDeclared) add(text, `${file}:${lineOf(end)}`)
    }
  }
  const names = [...places].map(([name, place]) => `${name.padEnd(32)} ${place}`)
  return draw(names, count, seed)
}

const sourceOf = (root: string, file: string) =>
  readSource(file, readFileSync(join(root, file), 'utf8'))

/**
 * Returns at most `count` items in random order. The order of two items depends only on their texts
 * and the seed.
 */
function draw(items: readonly string[], count: number, seed: string): readonly string[] {
  const rank = (item: string) => createHash('sha256').update(`${seed}\n${item}`).digest('hex')
  return items
    .map((item) => ({ item, order: rank(item) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, count)
    .map(({ item }) => item)
}
