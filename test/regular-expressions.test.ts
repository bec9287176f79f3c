import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from '@typescript/typescript6'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Literal {
  readonly source: string
  readonly flags: string
}

/**
 * The part of `scslre` that this test uses. The package's own declarations cannot be used, because
 * they contain those of all its dependencies.
 */
const { analyse } = createRequire(import.meta.url)('scslre') as {
  analyse(literal: Literal, options: object): { readonly reports: readonly { type: string }[] }
}

/** Expressions that the checker reports although they take linear time, with the reason. */
const linear: ReadonlyMap<string, string> = new Map([
  ['state/go/regex.ts', 'a bracket that nothing closes takes all the rest, at once'],
  ['src/embedding/test-trace.ts', 'names of files and lines of a stack are short'],
])

/**
 * Message of the checker for expressions that it cannot parse, because they use short names of
 * Unicode properties.
 */
const unsupportedProperty = 'Unknown lone Unicode property name or value'

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))
}

/** Returns the regular expressions of a file: its literals, and the texts of shapes' patterns. */
function expressionsOf(file: string): Literal[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), 99)
  const found: Literal[] = []
  function visit(node: ts.Node): void {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      found.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    } else if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) {
      const { name, initializer } = node
      if (name.text === 'pattern' && ts.isStringLiteral(initializer)) {
        found.push({ source: initializer.text, flags: '' })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Returns the reasons why an expression may take more than linear time. */
function waysOf(literal: Literal): string[] {
  try {
    const { reports } = analyse(literal, { assumeRejectingSuffix: false })
    return reports.map(({ type }) => `/${literal.source}/${literal.flags}: ${type}`)
  } catch (error) {
    if (String(error).includes(unsupportedProperty)) return []
    throw error
  }
}

/** Files with repeated groups in expressions whose input is short, with the reason. */
const bounded: ReadonlyMap<string, string> = new Map([
  ['state/go/regex.ts', 'expressions have at most 10,000 characters'],
  ['state/secrets/cloud/signature.ts', 'the header has at most 64 KiB'],
  ['state/secrets/pki/subject-names.ts', 'the text is an address that the program has formatted'],
  ['state/secrets/seal/share-collection.ts', 'the length is checked before'],
  ['state/hcl/functions/network.ts', 'the text is an address that the program has formatted'],
  ['routes/control/choices.ts', 'the text is a file of the program'],
  ['routes/control/coverage.ts', 'the text is a part of a reply'],
  ['src/cli/env.ts', 'the text is a reply of the control plane'],
  ['src/cli/flags/flag-types.ts', 'the text is an argument of the command line'],
  ['src/packed-files.ts', 'the text is a file of the program'],
  ['src/given-flags.ts', 'the text is an argument of the command line'],
])

/** A group that is repeated without a limit. Each repetition takes some space on a stack. */
const repeatedGroup = /\)(?:[*+]|\{\d+,\})/

/** Returns an expression without its escapes and sets of characters. */
function withoutCharacters(source: string): string {
  return source.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x')
}

describe('regular expressions', () => {
  test('behaviour/program#bounds: no group is repeated over texts of any length', () => {
    const files = ['state', 'routes', 'src'].flatMap(filesIn)
    const repeating = files.filter((file) =>
      expressionsOf(file).some(({ source }) => repeatedGroup.test(withoutCharacters(source))),
    )
    expect(repeating.sort()).toEqual([...bounded.keys()].sort())
  })

  test('the checker finds those that look again at each character of a row', () => {
    const ways = (source: string) => waysOf({ source, flags: '' }).length
    expect([ways('\\/+(?=\\?|$)'), ways('^(a+)+$'), ways('^\\d+\\.?\\d*$')]).toEqual([1, 1, 1])
    expect([ways('^\\/+'), ways('^\\d+(?:\\.\\d*)?$')]).toEqual([0, 0])
  })

  test('each one takes time linear in its text', () => {
    const files = ['state', 'routes', 'src'].flatMap(filesIn)
    const slow = files.flatMap((file) =>
      linear.has(file)
        ? []
        : expressionsOf(file)
            .flatMap(waysOf)
            .map((way) => `${file} ${way}`),
    )
    expect(slow).toEqual([])
    for (const file of linear.keys()) {
      expect(expressionsOf(file).flatMap(waysOf)).not.toEqual([])
    }
  })
})
