import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from '@typescript/typescript6'
import { describe, expect, test } from 'vitest'
import { appendAll, greatest, least } from '../state/kernel/lists.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Methods that take any number of arguments, and are called with lists of any length. */
const variadic: ReadonlySet<string> = new Set([
  'push',
  'unshift',
  'splice',
  'max',
  'min',
  'hypot',
  'fromCharCode',
  'fromCodePoint',
])

/** Returns the calls of a file that spread a list into the arguments of such a method. */
function spreadCalls(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), 99)
  const found: string[] = []
  function walk(node: ts.Node): void {
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      variadic.has(node.expression.name.text) &&
      node.arguments.some((argument) => ts.isSpreadElement(argument))
    ) {
      found.push(`${file}: ${node.getText(source).slice(0, 60)}`)
    }
    ts.forEachChild(node, walk)
  }
  walk(source)
  return found
}

describe('behaviour/program#bounds: no list is spread into the arguments of a call', () => {
  test.each(['state', 'routes', 'src', 'inspector'])('in %s/', (folder) => {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    const sources = files.filter((file) => /\.tsx?$/.test(file)).map((file) => join(folder, file))
    expect(sources.flatMap(spreadCalls)).toEqual([])
  })

  test('lists of a million items are appended and compared', () => {
    const numbers = Array.from({ length: 1_000_000 }, (_, at) => at)
    const list: number[] = []
    appendAll(list, numbers)
    expect([list.length, greatest(numbers), least(numbers)]).toEqual([1_000_000, 999_999, 0])
    expect([greatest([]), least([])]).toEqual([-Infinity, Infinity])
  })
})
