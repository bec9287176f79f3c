import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import ts from '@typescript/typescript6'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

/**
 * Bundles the declarations that the compiler wrote (`dist/types`) into the declarations of the
 * package: for each module, one file for `require` and one for `import`, and files with their
 * shared types. The result contains no types of Fastify or of other bundled packages, because users
 * of the package need none of them.
 */

const source = 'dist/types'
const target = 'dist/src'

/** Modules for `require` and `import`. `vitest` is only for `import`. */
const modules = ['index', 'client', 'global-setup', 'global-teardown', 'jest', 'node']

/**
 * Returns true for a path that declarations may import: Node's modules, and the user's own test
 * runner.
 */
const isAllowed = (path) => path.startsWith('node:') || path === 'vitest'

/**
 * Plugin that removes declarations that only the program itself uses, and replaces types of bundled
 * packages by `object`.
 */
const withoutInternals = {
  name: 'without-internals',
  transform(code, id) {
    if (!id.endsWith('.d.ts')) return null
    const file = ts.createSourceFile(id, code, ts.ScriptTarget.Latest, true)
    const names = foreignNames(file)
    const edits = []
    for (const statement of file.statements) {
      if (isAugmentation(statement)) edits.push([statement, ''])
      if (ts.isClassDeclaration(statement)) edits.push(...membersToHide(statement))
      if (ts.isTypeAliasDeclaration(statement) && mentions(statement.type, names)) {
        edits.push([statement.type, ' object'])
      }
    }
    const hidden = edits.sort(([a], [b]) => b.pos - a.pos)
    const text = hidden.reduce((rest, [node, instead]) => {
      return rest.slice(0, node.pos) + instead + rest.slice(node.end)
    }, code)
    return { code: text, map: null }
  },
}

/** Returns the names that a file imports from bundled packages. */
function foreignNames(file) {
  const clauses = file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement)) return []
    const path = statement.moduleSpecifier.text
    return path.startsWith('.') || isAllowed(path) ? [] : [statement.importClause]
  })
  const named = clauses.flatMap((clause) => clause?.namedBindings?.elements ?? [])
  return new Set([...clauses, ...named].flatMap((node) => node?.name?.text ?? []))
}

function mentions(node, names) {
  if (ts.isIdentifier(node) && names.has(node.text)) return true
  return ts.forEachChild(node, (child) => mentions(child, names)) ?? false
}

/** Returns true for an augmentation of another package, such as `declare module 'fastify'`. */
function isAugmentation(statement) {
  if (!ts.isModuleDeclaration(statement) || !ts.isStringLiteral(statement.name)) return false
  return !isAllowed(statement.name.text)
}

/**
 * Returns edits that hide private, protected and internal members, and that make constructors
 * protected, because constructors take parts of the program as arguments. Constructors of errors do
 * not change, because users may construct errors.
 */
function membersToHide(declaration) {
  const parent = declaration.heritageClauses?.[0]?.types[0]?.expression.getText()
  return declaration.members.flatMap((member) => {
    if (ts.isConstructorDeclaration(member)) {
      return parent === 'Error' ? [] : [[member, '\n    protected constructor();']]
    }
    const flags = ts.getCombinedModifierFlags(member)
    const isHidden = flags & (ts.ModifierFlags.Protected | ts.ModifierFlags.Private)
    return isHidden || ts.getJSDocTags(member).some(isInternalTag) ? [[member, '']] : []
  })
}

function isInternalTag({ tagName }) {
  return tagName.text === 'internal'
}

/**
 * Codes of warnings to ignore. The plugin warns about every type that another type mentions but the
 * module does not export. Rollup warns about imports whose uses were removed above.
 */
const expected = ['PLUGIN_WARNING', 'UNUSED_EXTERNAL_IMPORT']

const bundle = await rollup({
  input: Object.fromEntries(
    [...modules, 'vitest'].map((name) => [name, `${source}/src/embedding/${name}.d.ts`]),
  ),
  external: /^[^./]/,
  plugins: [withoutInternals, dts()],
  onwarn(warning, report) {
    if (!expected.includes(warning.code)) report(warning)
  },
})
const { output } = await bundle.write({
  dir: target,
  format: 'es',
  entryFileNames: '[name].d.cts',
  chunkFileNames: 'types-[hash].d.cts',
})
const written = new Set(output.map(({ fileName }) => fileName))
for (const { imports, fileName } of output) {
  const foreign = imports.filter((path) => !isAllowed(path) && !written.has(path))
  if (foreign.length > 0) throw new Error(`${fileName} has types of ${foreign.join(', ')}`)
}

// The declarations for `import` re-export those for `require`, so that each type exists only once.
// `export *` leaves out a default export, so a module that has one is copied.
for (const name of modules) {
  const text = readFileSync(`${target}/${name}.d.cts`, 'utf8')
  const isDefault = text.includes(' as default')
  writeFileSync(`${target}/${name}.d.ts`, isDefault ? text : `export * from './${name}.cjs'\n`)
}
renameSync(`${target}/vitest.d.cts`, `${target}/vitest.d.ts`)
rmSync(source, { recursive: true })
