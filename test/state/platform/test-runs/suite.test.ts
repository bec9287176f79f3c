import { describe, expect, test } from 'vitest'
import { suiteOfArchive } from '../../../../state/platform/test-runs/suite.ts'

const section = 'behaviour/platform#log'
const vendorNames = ['.tftest.hcl', '.tftest.json']
const run = (name: string) => `run "${name}" {\n}\n`

/** Reads the suite of an archive with these files, by path and names alone. */
function read(
  contents: Readonly<Record<string, string>>,
  { directory = 'tests', filters = [] as readonly string[], endings = vendorNames } = {},
) {
  const files = new Map(Object.entries(contents).map(([path, text]) => [path, Buffer.from(text)]))
  const archive = { files, paths: [...files.keys()] }
  const suite = suiteOfArchive(archive, { test_directory: directory, filters }, endings)
  return {
    ...suite,
    files: suite.files?.map(({ path, runs }) => [path, runs.map(({ name }) => name)]) ?? null,
  }
}

describe(`${section}: test files and names`, () => {
  test('only test files in the root and the test directory, by path', () => {
    const { files } = read({
      'tests/z.tftest.hcl': run('z1') + run('z2'),
      'tests/deep/a.tftest.hcl': run('no'),
      'other/a.tftest.hcl': run('no'),
      'b.tftest.hcl': run('b'),
      'tests/a.tftest.json': '{"run":{"first":{},"second":{}}}',
      'main.tf': run('no'),
      '.hidden.tftest.hcl': run('no'),
    })
    expect(files).toEqual([
      ['b.tftest.hcl', ['b']],
      ['tests/a.tftest.json', ['first', 'second']],
      ['tests/z.tftest.hcl', ['z1', 'z2']],
    ])
  })

  test('the option testFileNames sets the endings of test file names', () => {
    const contents = { 'a.test.hcl': run('a'), 'b.tftest.hcl': run('b') }
    expect(read(contents).files).toEqual([['b.tftest.hcl', ['b']]])
    expect(read(contents, { endings: ['.test.hcl'] }).files).toEqual([['a.test.hcl', ['a']]])
  })

  test.each([
    ['{"run":[{"a":{}},{"b":{}}]}', ['a', 'b']],
    ['{"run":"x"}', []],
    ['[]', []],
    ['{', []],
  ])('JSON %s', (text, names) => {
    expect(read({ 'a.tftest.json': text }).files).toEqual([['a.tftest.json', names]])
  })

  test('filters are exact paths; a filter that matches nothing selects nothing', () => {
    const contents = { 'a.tftest.hcl': run('a'), 'tests/b.tftest.hcl': run('b') }
    expect(read(contents, { filters: ['tests/b.tftest.hcl'] }).files).toEqual([
      ['tests/b.tftest.hcl', ['b']],
    ])
    expect(read(contents, { filters: ['b.tftest.hcl'] }).files).toEqual([])
  })

  test('without any test file, names are made up', () => {
    expect(read({ 'main.tf': '' }).files).toBeNull()
  })

  test('a missing test directory is reported unless it is the default one', () => {
    const contents = { 'a.tftest.hcl': run('a'), 'zz/b.tftest.hcl': run('b') }
    expect(read(contents, { directory: 'yy' }).missing_directory).toBe('yy')
    expect(read(contents, { directory: './zz/' }).missing_directory).toBeNull()
    expect(read(contents, { directory: './zz/' }).files).toEqual([
      ['a.tftest.hcl', ['a']],
      ['zz/b.tftest.hcl', ['b']],
    ])
    expect(read(contents).missing_directory).toBeNull()
    expect(read({ 'main.tf': '' }, { directory: 'yy' }).missing_directory).toBeNull()
  })

  test('the planned resources are those of the root, in order of files', () => {
    const { planned } = read({
      'z.tf': 'resource "null" "z" {\n}',
      'a.tf': 'resource "null" "a" {\n}\n# resource "null" "no" {',
      'tests/t.tf': 'resource "null" "no" {\n}',
      'a.tftest.hcl': '',
    })
    expect(planned).toEqual(['null.a', 'null.z'])
  })
})
