import { describe, expect, test } from 'vitest'
import {
  isModuleName,
  isPlainName,
  isProviderName,
  isVersion,
} from '../../../state/platform/names.ts'

const section = 'behaviour/platform#surroundings'

describe(`${section}: names`, () => {
  test.each([
    ['a', true],
    ['A-b_9', true],
    ['-', true],
    ['', false],
    ['a b', false],
    ['a.b', false],
    ['ä', false],
    ['a\n', false],
  ])('of organizations and teams: %j is %s', (name, expected) => {
    expect(isPlainName(name)).toBe(expected)
  })

  test.each([
    ['a', true],
    ['9', true],
    ['a-b_c', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['-a', false],
    ['a_', false],
    ['', false],
    ['a/b', false],
    ['a\n', false],
  ])('of modules: %j is %s', (name, expected) => {
    expect(isModuleName(name)).toBe(expected)
  })

  test.each([
    ['cloud1', true],
    ['1', true],
    ['Cloud', false],
    ['a-b', false],
    ['', false],
  ])('of providers: %j is %s', (name, expected) => {
    expect(isProviderName(name)).toBe(expected)
  })

  test.each([
    // From the suggested test cases of semver.org.
    ['0.0.4', true],
    ['1.1.2-prerelease+meta', true],
    ['1.0.0-alpha.beta.1', true],
    ['1.0.0-0A.is.legal', true],
    ['2.0.0+build.1848', true],
    ['999999999999999999.99999999.9', true],
    ['1', false],
    ['1.2', false],
    ['1.2.3-0123', false],
    ['1.2.3-0123.0123', false],
    ['1.1.2+.123', false],
    ['01.1.1', false],
    ['1.01.1', false],
    ['1.2.3.DEV', false],
    ['v1.2.3', false],
    ['1.0.0-', false],
    ['', false],
  ])('of versions: %j is %s', (version, expected) => {
    expect(isVersion(version)).toBe(expected)
  })
})
