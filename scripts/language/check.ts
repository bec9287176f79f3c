import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Comment } from './comments.ts'
import { docstringProblem } from './docstrings.ts'
import { commentPassages, documentPassages, joinPassage, type Passage } from './passages.ts'
import { anywhere, openings } from './patterns.ts'
import { readSource, type Source } from './read-source.ts'
import { nameChecker, readExempt, readRetired, retiredFile } from './words.ts'

export const findingKinds = ['name', 'file', 'comment', 'docstring', 'title', 'document'] as const

/** A violation of the rules of language. */
export interface Finding {
  readonly kind: (typeof findingKinds)[number]
  readonly file: string
  readonly line: number
  /** The name or the words that were found. */
  readonly found: string
  /** Words to write instead. */
  readonly advice: string
}

const sourceFolders = ['state', 'routes', 'src', 'inspector', 'scripts', 'test']
const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']

const extension = /\.(?:ts|tsx|mts|mjs)$/

/** Returns the paths of a project's source files, relative to its root. */
export function sourceFiles(root: string): readonly string[] {
  return sourceFolders.flatMap((folder) => filesBelow(root, folder, extension))
}

/** Returns the paths of a project's Markdown documents, relative to its root. */
export function documentFiles(root: string): readonly string[] {
  return [...documents, ...filesBelow(root, 'docs', /\.md$/)]
}

function filesBelow(root: string, folder: string, name: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      return entry.name === 'node_modules' || entry.name === '.vitepress'
        ? []
        : filesBelow(root, path, name)
    }
    return name.test(entry.name) ? [path] : []
  })
}

/** Checks the source files and Markdown documents of a project. */
export function checkProject(root: string): readonly Finding[] {
  const checkSource = sourceChecker()
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  return [
    ...sourceFiles(root).flatMap((file) => checkSource(file, readSource(file, read(file)))),
    ...documentFiles(root).flatMap((file) => checkDocument(file, read(file))),
  ]
}

/**
 * Returns a function that checks the name of a file, and the names, comments and test titles in it.
 */
export function sourceChecker(): (file: string, source: Source) => readonly Finding[] {
  const retired = readRetired()
  const retiredIn = nameChecker(retired, readExempt())

  const checkNames = (file: string, { names, lineOf }: Source): readonly Finding[] => {
    const uses = new Map<
      string,
      { readonly line: number; readonly advice: string; count: number }
    >()
    for (const name of names) {
      const word = retiredIn(name)
      if (word === undefined) continue
      const found = word.word === name.text ? name.text : `${name.text} (${word.word})`
      const seen = uses.get(found)
      if (seen === undefined)
        uses.set(found, { line: lineOf(name.end), advice: word.replacement, count: 1 })
      else seen.count += 1
    }
    return [...uses].map(([name, { line, advice, count }]) => {
      const found = count === 1 ? name : `${name}, ${count} times`
      return { kind: 'name', file, line, found, advice }
    })
  }

  return (file, source) => {
    const name = retiredFile(retired, file)
    const files: readonly Finding[] =
      name === undefined
        ? []
        : [{ kind: 'file', file, line: 1, found: name.word, advice: name.replacement }]
    return [
      ...files,
      ...checkNames(file, source),
      ...source.comments.flatMap((comment) => checkComment(file, comment)),
      ...source.titles.flatMap(({ text, line }) =>
        checkPassage('title', file, joinPassage([{ text: withoutCitation(text), line }])),
      ),
    ]
  }
}

/** Returns a test's title without the citation of rules at its start. */
function withoutCitation(title: string): string {
  return title.replace(/^(?:behaviour\/[\w-]+#[\w-]+(?:, | and )?)+:?\s*/, '')
}

function checkComment(file: string, comment: Comment): readonly Finding[] {
  const passages = commentPassages(comment.lines, comment.line)
  const findings = passages.flatMap((passage) => checkPassage('comment', file, passage))
  const [first] = passages
  if (comment.subject === undefined || first === undefined) return findings
  if (/^@/.test(comment.lines.find((line) => line !== '') ?? '')) return findings
  const problem = docstringProblem(first.text, comment.subject)
  const isFound = findings.some(({ line, found }) => {
    return line === first.lineAt(0) && openings.some(({ name }) => found.startsWith(name))
  })
  if (problem === undefined || isFound) return findings
  const [found = '', advice = ''] = problem.split(/: (.*)/)
  return [...findings, { kind: 'docstring', file, line: first.lineAt(0), found, advice }]
}

/** Checks the sentences of a Markdown document. Code in the document is skipped. */
export function checkDocument(file: string, text: string): readonly Finding[] {
  return documentPassages(text).flatMap((passage) => checkPassage('document', file, passage))
}

/** Returns a finding for each pattern that a passage matches, at the first match. */
export function checkPassage(
  kind: Finding['kind'],
  file: string,
  passage: Passage,
): readonly Finding[] {
  const finding = (at: number, name: string, advice: string): Finding => {
    const found = `${name}: …${passage.text.slice(Math.max(0, at - 20), at + 40).trim()}…`
    return { kind, file, line: passage.lineAt(at), found, advice }
  }
  const atOpening = openings.flatMap(({ name, matches, advice }) => {
    const at = passage.isHeading ? -1 : passage.text.search(matches)
    // In a document, a pronoun may refer to the preceding sentence.
    return at === -1 || (kind === 'document' && at > 0) ? [] : [finding(at, name, advice)]
  })
  const inside = anywhere.flatMap(({ name, matches, advice }) => {
    const at = passage.text.search(matches)
    return at === -1 ? [] : [finding(at, name, advice)]
  })
  return [...atOpening, ...inside]
}
