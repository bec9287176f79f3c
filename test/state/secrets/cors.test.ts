import { describe, expect, test } from 'vitest'
import {
  allowsOrigin,
  disableCors,
  enableCors,
  readCors,
} from '../../../state/secrets/audit-and-cors.ts'
import { freshWorld } from './fresh-world.ts'

const page = 'https://app.example'

describe('behaviour/secrets#cors: state', () => {
  test('off in a fresh world, on after a write, off after a deletion', () => {
    const world = freshWorld()
    expect(readCors(world)).toBeUndefined()
    const settings = { allowed_origins: [page], allowed_headers: ['X-Own'] }
    enableCors(world, settings)
    expect(readCors(world)).toEqual(settings)
    disableCors(world)
    expect(readCors(world)).toBeUndefined()
    disableCors(world)
    expect(readCors(world)).toBeUndefined()
  })

  test('a write replaces the whole setting', () => {
    const world = freshWorld()
    enableCors(world, { allowed_origins: [page], allowed_headers: ['X-Own'] })
    enableCors(world, { allowed_origins: ['*'], allowed_headers: [] })
    expect(readCors(world)).toEqual({ allowed_origins: ['*'], allowed_headers: [] })
  })

  test.each([
    [[], 'at least one origin or the wildcard must be provided'],
    [['*', page], "to allow all origins the '*' must be the only value for allowed_origins"],
    [[page, '*'], "to allow all origins the '*' must be the only value for allowed_origins"],
  ])('%j is refused and changes nothing', (allowed_origins, why) => {
    const world = freshWorld()
    expect(() => enableCors(world, { allowed_origins, allowed_headers: [] })).toThrow(why)
    expect(readCors(world)).toBeUndefined()
  })

  test.each([
    [['*'], 'http://any.example', true],
    [[page], page, true],
    [['https://other.example', page], page, true],
    [[page], 'http://app.example', false],
    [[page], 'https://app.example:443', false],
    [[page], 'https://app.example.evil', false],
    [[page], 'https://APP.example', false],
    [[page], '*', false],
    [[page], 'null', false],
  ])('%j and %s: %s', (allowed_origins, origin, allowed) => {
    expect(allowsOrigin({ allowed_origins, allowed_headers: [] }, origin)).toBe(allowed)
  })
})
