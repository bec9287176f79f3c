import { describe, expect, test } from 'vitest'
import { areInNetworks, isNetwork } from '../../../../state/secrets/approle/networks.ts'

describe('behaviour/secrets#approle-secret-ids: networks', () => {
  test.each([
    ['10.0.0.0/8', true],
    ['fd00::/8', true],
    ['10.0.0.1', false],
    ['10.0.0.0/33', false],
    ['fd00::/129', false],
    ['x/8', false],
    ['10.0.0.0/8/8', false],
  ])('whether %s is a network: %s', (text, expected) => {
    expect(isNetwork(text)).toBe(expected)
  })

  test.each<[string[], string[], boolean]>([
    [['10.1.0.0/16'], ['10.0.0.0/8'], true],
    [['10.0.0.0/8'], ['10.1.0.0/16'], false],
    [['10.0.0.1'], ['10.0.0.1'], true],
    [['fd00::1'], ['fd00::/8'], true],
    [['fd00::1'], ['10.0.0.0/8'], false],
    [['/run/socket'], ['10.0.0.0/8'], false],
    [[], ['10.0.0.0/8'], true],
  ])('whether %j lies in %j: %s', (inner, outer, expected) => {
    expect(areInNetworks(inner, outer)).toBe(expected)
  })
})
