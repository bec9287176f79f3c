import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyMutant, applySwitches, mutantsOf } from './mutators.ts'
import { importedBy, NearestTests } from './nearest.ts'
import { type Result, reasonOf, type Status, scoreOf } from './results.ts'

/** Returns the mutants of a text as `kind: changed text`, without the probes. */
function mutated(text: string): readonly string[] {
  return mutantsOf('a.ts', text).map((mutant) => {
    const changed = applyMutant(text, mutant)
      .replaceAll(/\(mutantReached\(\), ('\w*')\)/g, '$1')
      .replaceAll(/\{ mutantReached\(\) \}/g, ';')
      .replaceAll(/mutantReached\(\)[;,] /g, '')
    return `${mutant.kind}: ${changed}`
  })
}

describe('mutators', () => {
  test.each([
    ['x = a < b', ['comparison: x = (a <= b)']],
    ['x = a >= b', ['comparison: x = (a > b)']],
    ['x = a === b', ['comparison: x = (a !== b)']],
    ['x = a && b', ['logic: x = (a || b)']],
    ['x = (a ?? b) || c', ['logic: x = ((a ?? b) && c)']],
    ['x = a - b', ['arithmetic: x = (a + b)']],
    ['x = a + b', []],
    ['if (a) b()', ['negation: if ((!(a))) b()', 'statement: if (a) ;']],
    ['x = a ? b : c', ['negation: x = (!(a)) ? b : c']],
    ['x = 5', ['number: x = (6)', 'number: x = (4)']],
    ['x = 0', ['number: x = (1)']],
    ['x = 5n', ['number: x = (6n)']],
    ['x = true', ['boolean: x = (false)']],
    ["x = 'word'", ["string: x = ''"]],
    ["x = 'a sentence'", []],
    ["x = ''", []],
    [
      "x = { spec: 'rule', summary: 'word', kind: 'a' }",
      ["string: x = { spec: 'rule', summary: 'word', kind: '' }"],
    ],
    ["x = described(word('a'), 'Words')", ["string: x = described(word(''), 'Words')"]],
    ["throw new TypeError('word')", ['statement: ;']],
    ["import a from 'word'", []],
    ["type A = 'word' | 5", []],
    ['x = list.some(f)', ["method: x = list['every'](f)"]],
    ['x = list?.filter(f)', ["method: x = list?.['slice'](f)"]],
    ['x = list.map(f)', []],
    ['f()', ['statement: ;']],
    ['super.f()', ['statement: ;']],
    ['for (const a of b) continue', ['statement: for (const a of b) ;']],
  ])('%s', (text, expected) => {
    const statements = mutated(text).filter(
      (one) => one !== 'statement: ;' || /^(?:throw|f|super)/.test(text),
    )
    expect(statements).toEqual(expected)
  })

  test('an expression that begins a statement does not continue the line before', () => {
    const [swapped] = mutantsOf('a.ts', 'const x = y\na && b()').filter(
      ({ kind }) => kind === 'logic',
    )
    expect(swapped?.patch).toBe('void (mutantReached(), a || b())')
  })

  test('a function without a value returns early, others do not', () => {
    const text = 'function f() { a(); b() }\nfunction g() { a(); return b }\nfunction h() { a() }'
    const early = mutantsOf('a.ts', text).filter(({ kind }) => kind === 'return')
    expect(early.map(({ line, patch }) => `${line} ${patch}`)).toEqual([
      '1 { mutantReached(); return;  a(); b() }',
    ])
  })

  test('code in functions can be switched to a mutant and back while it is loaded', () => {
    const text = 'const f = (list) => { list.push(1); if (list.some((x) => x > 5)) list.pop() }'
    const mutants = mutantsOf('a.ts', text).filter(({ inFunction }) => inFunction)
    const results = mutants.map((mutant) => {
      const named = [{ name: 'm', mutant }]
      const f = new Function(
        'activeMutant',
        'mutantReached',
        `${applySwitches(text, named)}\nreturn f`,
      )
      const listAfter = (active: string) => {
        const list = [5]
        let reached = 0
        f(active, () => (reached += 1))(list)
        return `${list} ${reached > 0}`
      }
      expect(listAfter('other')).toBe('5,1 false')
      return `${mutant.kind}: ${listAfter('m')}`
    })
    expect(results).toEqual([
      'return: 5 true',
      'statement: 5 true',
      'method: 1,5 true',
      'number: 5,2 true',
      'number: 5,0 true',
      'negation: 5 true',
      'method: 5,1 true',
      'comparison: 5 true',
      'number: 5,1 true',
      'number: 5 true',
      'statement: 5,1 false',
      'method: 5,1 false',
    ])
  })

  test('code at the top of a module cannot be switched', () => {
    const mutants = mutantsOf('a.ts', 'const a = 1 < 2\nconst f = (b) => b < 2')
    const comparisons = mutants.filter(({ kind }) => kind === 'comparison')
    expect(comparisons.map(({ inFunction }) => inFunction)).toEqual([false, true])
  })

  test('long lists of literals are data', () => {
    const list = Array.from({ length: 17 }, () => 7).join(', ')
    expect(mutantsOf('a.ts', `const a = [${list}]`)).toEqual([])
  })
})

describe('imports', () => {
  test('imports of types are left out', () => {
    const text = [
      "import type { A } from './a.ts'",
      "import { type B, b } from '../b.ts'",
      "import './c.ts'",
      "import {\n  d,\n} from './d/d.ts'",
      "import fs from 'node:fs'",
      "export { e } from './e.ts'",
      "const f = () => import('./f.ts')",
    ].join('\n')
    expect(importedBy('state/x/y.ts', text)).toEqual([
      'state/b.ts',
      'state/x/c.ts',
      'state/x/d/d.ts',
      'state/x/e.ts',
      'state/x/f.ts',
    ])
  })
})

describe('nearest tests', () => {
  test('are those with the words of the path and of the changed code, among those that import the file', () => {
    const root = mkdtempSync(join(tmpdir(), 'nearest-'))
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    write('state/lending/books.ts', '')
    write('routes/api.ts', "import { a } from '../state/lending/books.ts'")
    write('src/app.ts', "import { b } from '../routes/api.ts'")
    for (const name of ['fines', 'readers', 'shelves', 'whole']) {
      write(`test/routes/${name}.test.ts`, "import '../../routes/api.ts'")
    }
    write('test/routes/book.test.ts', "import '../../routes/api.ts'")
    write('test/routes/returns.test.ts', "import '../../routes/api.ts'\nlending.ended()")
    write('test/routes/apart.test.ts', 'books.lending()')
    write('test/wire/books.test.ts', "import '../../state/lending/books.ts'")
    const tests = new NearestTests(root)
    const nearest = tests.of('state/lending/books.ts')
    const nearestToCode = tests.of('state/lending/books.ts', 'const shelves = []')
    rmSync(root, { recursive: true })
    expect(nearestToCode[0]).toBe('test/routes/book.test.ts')
    expect(nearestToCode[1]).toBe('test/routes/shelves.test.ts')
    expect(nearest).toEqual([
      'test/routes/book.test.ts',
      'test/routes/returns.test.ts',
      'test/routes/fines.test.ts',
      'test/routes/readers.test.ts',
      'test/routes/shelves.test.ts',
      'test/routes/whole.test.ts',
    ])
  })
})

describe('the score', () => {
  const [mutant] = mutantsOf('test/mutate/mutators.ts', 'x = a < b').slice(-1)
  if (mutant === undefined) throw new Error('no mutant')
  const results = (...statuses: Status[]): Result[] =>
    statuses.map((status) => ({ mutant, status, note: '', seconds: 1 }))

  test('equivalent mutants do not count, code that no test runs does', () => {
    expect(
      scoreOf(results('killed', 'hung', 'survived', 'no coverage', 'equivalent')).percent,
    ).toBe(50)
  })

  test('more than 5 % of equivalent mutants are too many', () => {
    const killed = Array.from({ length: 19 }, () => 'killed' as const)
    expect(scoreOf(results(...killed, 'equivalent')).tooManyEquivalents).toBe(false)
    expect(scoreOf(results(...killed, 'equivalent', 'equivalent')).tooManyEquivalents).toBe(true)
  })

  test('an equivalent mutant is known by its line and its change', () => {
    const root = new URL('../..', import.meta.url).pathname
    const listed = { file: mutant.file, change: 'a < b -> a <= b', reason: 'a is never b' }
    const line = "import ts from '@typescript/typescript6'"
    expect(reasonOf(root, mutant, [{ ...listed, line }])).toBe('a is never b')
    expect(reasonOf(root, mutant, [{ ...listed, line: 'a < b' }])).toBeUndefined()
  })
})
