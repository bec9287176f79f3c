import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkDocument, checkPassage, sourceChecker } from '../../scripts/language/check.ts'
import { joinPassage } from '../../scripts/language/passages.ts'
import { anywhere, openings } from '../../scripts/language/patterns.ts'
import { readSource } from '../../scripts/language/read-source.ts'
import { partsOf, readExempt, readRetired } from '../../scripts/language/words.ts'

/** Returns the findings of a file as `line kind: found`. */
function findingsIn(text: string, file = 'state/sample.ts'): readonly string[] {
  return sourceChecker()(file, readSource(file, text)).map(
    ({ line, kind, found }) => `${line} ${kind}: ${found}`,
  )
}

/** Returns the names of the patterns that a sentence matches. */
function patternsIn(sentence: string): readonly string[] {
  return checkPassage('comment', 'a.ts', joinPassage([{ text: sentence, line: 1 }])).map(
    ({ found }) => found.slice(0, found.indexOf(':')),
  )
}

/** Name of each pattern, sentences that match it, and sentences that nearly do. */
const sentences: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'a sentence that begins with What',
    ['What a list returns.', 'Returns the row. Whose it is, the caller knows.', 'what is deleted'],
    ['What comes first?', 'Whatever the body holds, the reply is 204.'],
  ],
  [
    'a pronoun without a noun',
    ['It waits for the leader.', 'Stores the row. They are sorted.', 'One that is older wins.'],
    ['Item 3 waits for the leader.', 'One listener per port.', 'Thatcher is a name.'],
  ],
  [
    'told',
    ['The caller is told the index.', 'Tells whether a token may read.', 'A list; tells all rows.'],
    ['The prefix tells reads from writes.', 'Hotels are rows.'],
  ],
  ['is none', ['Undefined when it is none.'], ['Undefined if there is none.', 'One is nonempty.']],
  [
    'is no thing',
    ['A path that is no folder.', 'Texts that are no JSON are refused.'],
    ['There is no folder.', 'The row is no longer stored.', 'It is no larger than the state.'],
  ],
  ['none of its', ['A path that is none of an API.'], ['None of the nodes fits.']],
  ['besides at the end', ['It needs sudo besides.'], ['The header besides the token.']],
  [
    'too at the end',
    ['The process may end, too.', 'Sub-folders are listed too.'],
    ['Nomad compares CreateIndex too: a purged job is a new job.', 'A body that is too long.'],
  ],
  ['either at the end', ['A space does not end a word either.'], ['Callers may use either.']],
  ['inside again', ['Runs next with the result inside again.'], ['Reads the row again.']],
  [
    'the same, without as what',
    ['The same for lists.', 'The same the second time.', 'Any other does the same.', 'The same.'],
    ['The same token works in every namespace.', 'The same as in Vault.'],
  ],
  [
    'lets',
    ['Lets others read.', 'The flag lets clients stop it.'],
    ['Let others read.', 'Outlets.'],
  ],
  ['wishes', ["A caller's wishes for a token."], ['A wishlist.']],
  [
    'so many',
    ['After so many milliseconds.', 'Repeats so often.'],
    ['Rows are so many that a page ends.', 'As long as the lease lives.', 'so much as a byte'],
  ],
  [
    'whoever',
    ['Whoever waits is released.', 'to whomever it belongs'],
    ['Whether or not it waits.'],
  ],
  [
    'a clause with what as a noun',
    ['Undefined for what is no duration.', 'Deletes a row; what is left out stays.'],
    ['Depends on what the caller sends.', 'Returns what was stored.'],
  ],
  ['comes of it', ['Reports what came of the task.'], ['The value comes from the body.']],
  [
    'a clause that ends with its verb',
    ['Parameters of the query that do; the first wins.', 'The default where no header is.'],
    ['Parameters that do this.', 'The default where no header is sent.'],
  ],
  ['inverted order', ['Such paths have nothing in them that is encoded.'], ['Nothing in it.']],
]

describe('patterns of sentences', () => {
  test.each(sentences)('%s', (name, hits, misses) => {
    expect(hits.filter((sentence) => !patternsIn(sentence).includes(name))).toEqual([])
    expect(misses.filter((sentence) => patternsIn(sentence).includes(name))).toEqual([])
  })

  test('every pattern has sentences', () => {
    const names = [...openings, ...anywhere].map(({ name }) => name)
    expect(sentences.map(([name]) => name).sort()).toEqual(names.sort())
  })

  test.each([
    'By the stopwatch.',
    'The lesser of two limits, of which 0 is none.',
    'Parameters of the query that do; the first that is sent is a token where no header is.',
    'Tells whether it concerns requests of a world at all; each one asks, twice.',
    "The API of a path; undefined for what is none of an API's.",
    'A listener that has no port is none.',
    'The settings: that is kept and told, and nothing comes of it.',
    'Whether others may have the tree too: whoever writes takes a copy of it first.',
    'The same the second time.',
    'One that is sent before the other has ended comes at once.',
    'Places within something that a space, which Go tries at the end of a text, does not end either.',
    'Ends a step of a request: work is done outside, then next with its result inside again.',
  ])('a stilted comment is found: %s', (comment) => {
    expect(findingsIn(`/** ${comment} */\nconst limit = 1\n`)).not.toEqual([])
  })

  test.each([
    ['const limit', 'Start time on the monotonic clock, in milliseconds.'],
    ['function smaller() {}', 'Returns the smaller limit; 0 means unlimited.'],
    [
      'const names',
      'Query parameters that hold secrets. Without a token header, the first one is the token.',
    ],
    ['interface Hook { applies(): boolean }', 'Hook of the journal.'],
    ['let shared', 'True while a snapshot shares this tree; writers copy it first.'],
    ['const text', 'Log line for the second interrupt.'],
    ['function step() {}', 'Runs work outside the transaction, then next(result) in a new one.'],
  ])('a plain comment is not found: %s', (code, comment) => {
    expect(findingsIn(`/** ${comment} */\n${code}\n`)).toEqual([])
  })

  test('code between backticks and examples are skipped', () => {
    const example =
      '/**\n * Returns `what is told`.\n *\n * ```ts\n * // What is told.\n * ```\n */'
    expect(findingsIn(`${example}\nfunction render() {}\n`)).toEqual([])
  })

  test('each line is reported by its own number, parameters included', () => {
    const comment =
      '/**\n * Returns rows.\n *\n * @param limit so many\n * @param from what is read\n */'
    expect(findingsIn(`${comment}\nfunction list() {}\n`).map((line) => line.slice(0, 9))).toEqual([
      '4 comment',
      '5 comment',
    ])
  })
})

describe('docstrings', () => {
  test.each([
    ['function list() {}', 'Returns all rows.', true],
    ['const list = () => []', 'Returns all rows.', true],
    ['function list() {}', 'Passes all rows on.', true],
    ['function list() {}', 'The rows.', false],
    ['function list() {}', 'Return all rows.', false],
    ['function list() {}', 'How rows are listed.', false],
    ['function list() {}', 'Whether rows are there.', false],
    ['function list() {}', 'Tells the rows.', false],
    ['function list() {}', 'Headers of a reply.', false],
    ['function list() {}', 'Access of a caller.', false],
    ['class List { all() {} }', 'All rows.', true],
    ['type List = string[]', 'Rows of a table.', true],
    ['type List = string[]', 'Returns rows.', false],
    ['interface List {}', 'Where rows are.', false],
    ['const limit = 1', 'Longest page, in rows.', true],
    ['const limit = 1', 'Checks that run first.', true],
    ['const limit = 1', 'In rows.', false],
    ['const limit = 1', 'How many rows fit.', false],
    ['const limit = 1', 'Counts the rows.', false],
    ['const list = memoize(read)', 'Returns all rows.', true],
    ['const list = memoize(read)', 'Where rows are.', false],
  ])('%s: %s', (code, text, plain) => {
    const found = findingsIn(`/** ${text} */\n${code}\n`)
    expect(found.some((line) => line.includes('docstring'))).toBe(!plain)
  })

  test('members are checked; a predicate of an interface may begin with Whether', () => {
    const declared = `interface Hook {
      /** Whether this hook applies to the world. */
      applies(): boolean
      /** The world. */
      world(): World
      /** Returns the id. */
      id: string
    }`
    expect(findingsIn(declared)).toEqual(['4 docstring: "The"', '6 docstring: "Returns"'])
  })
})

/** The words that were retired first; the list holds them all, and may hold more. */
const firstRetired = {
  names: `
    tell told telling teller meanwhile finish done settle keeping knowing beforehand rehearse pace paces
    appoint callOff noted manner admits vets enter greet glance followed written decided ownRoot`,
  types: `
    Said Fact Facts Column Meanwhile Sent Stored Given Taken Asked Met Found Looked Visit VisitBook Manners
    Access Right Place Outcome`,
  files: `
    texts bell hiding aftermath hindsight belongings beyond spent taken kept-rows standing park cuts
    likeness neighbours stray-token moments meanwhile once same past assembled`,
}

const wordsOf = (text: string): readonly string[] => text.trim().split(/\s+/)

describe('retired words', () => {
  test.each(wordsOf(firstRetired.names))('no member is called %s', (name) => {
    const text = `const row = { ${name}: 1 }`
    // An iterator's result has a member `done`.
    expect(findingsIn(text)).toHaveLength(name === 'done' ? 0 : 1)
  })

  test.each(wordsOf(firstRetired.types))('no type is called %s', (name) => {
    expect(findingsIn(`type ${name} = string`)).toHaveLength(1)
    expect(findingsIn(`const all: ${name}[] = []`)).toHaveLength(1)
  })

  test.each(wordsOf(firstRetired.files))('no file is called %s', (name) => {
    expect(findingsIn('', `state/${name}.ts`)).toHaveLength(1)
    expect(findingsIn('', `test/state/${name}.test.ts`)).toHaveLength(1)
  })

  test.each([
    ['const toldTimes = 1', ['1 name: toldTimes (told)']],
    ['a.call(untold, TOLD_2)', ['1 name: TOLD_2 (told)']],
    ['class Job { #tell = 1 }', ['1 name: #tell (tell)']],
    ['let done = 1\ndone = 2', ['1 name: done, 2 times']],
    ['for await (const x of y) if (x.done) break', []],
    ["import { done } from 'node:events'\ndone()", []],
    ["import { done } from './done.ts'", ['1 name: done']],
    ['list.push(1)', []],
    ['const owner = 1, ownership = 2, own = 3, hasOwn = 4', []],
    ['const storedJob = 1, isFound = 2, foundRow: FoundRow = 3', []],
  ])('%s', (text, found) => {
    expect(findingsIn(text)).toEqual(found)
  })

  test('no word is listed twice, and each has a replacement', () => {
    const words = readRetired().map(({ kind, word }) => `${kind} ${word}`)
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([])
    expect(readRetired().filter(({ replacement }) => replacement === '')).toEqual([])
  })

  test('at most 20 names are exempt, each for a reason', () => {
    const list = readFileSync(new URL('../../scripts/language/exempt.txt', import.meta.url), 'utf8')
    expect(list.trim().split('\n').length).toBeLessThanOrEqual(20)
    expect(readExempt().filter(({ reason }) => reason === '')).toEqual([])
  })

  test('identifiers are split at capitals, underscores and digits', () => {
    expect(partsOf('toldHTTPTimes2_of')).toEqual(['told', 'http', 'times', '2', 'of'])
  })
})

describe('titles and documents', () => {
  test('titles of tests are checked without the rule that they cite', () => {
    const text = [
      "describe('behaviour/mesh#reads: what is listed', () => {})",
      "test('a read', () => { expect('what is told').toBe(1) })",
      "it.each([['what is told']])('a list is told', () => {})",
    ].join('\n')
    expect(findingsIn(text, 'test/a.test.ts').map((line) => line.slice(0, 12))).toEqual([
      '1 title: a s',
      '3 title: tol',
    ])
  })

  test('paragraphs, items and cells of a document are checked, its code is not', () => {
    const document = [
      '# What it does',
      'Rows are listed. They are',
      'sorted, and [the index](told.md) is told.',
      '```sh',
      'echo what is told',
      '```',
      '| What | told |',
      '|---|---|',
      '| What is listed. | `told` |',
      '- It is sorted.',
    ].join('\n')
    expect(checkDocument('a.md', document).map(({ line, found }) => `${line} ${found}`)).toEqual([
      expect.stringMatching(/^3 told/),
      expect.stringMatching(/^7 told/),
      expect.stringMatching(/^9 a sentence/),
      expect.stringMatching(/^10 a pronoun/),
    ])
  })
})
