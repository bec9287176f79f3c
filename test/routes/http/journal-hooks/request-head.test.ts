import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  contentTypeOf,
  originForm,
  tolerateContentType,
} from '../../../../routes/http/journal-hooks/request-head.ts'

/** Returns a request with that content type, as Node passes it on. */
function requestWith(type: string | undefined): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  if (type !== undefined) request.headers['content-type'] = type
  return request
}

describe('behaviour/program#http: content types are judged by the API', () => {
  test.each([
    'application/json',
    'application/merge-patch+json',
    'Application/JSON; charset=utf-8',
    'text/plain;charset=UTF-8',
  ])('%j is passed to Fastify unchanged', (type) => {
    const request = requestWith(type)
    tolerateContentType(request)
    expect([request.headers['content-type'], contentTypeOf(request)]).toEqual([type, type])
  })

  test.each(['', ' ', 'nonsense', 'a/b/c', 'text/plain; a', 'multipart/form-data; boundary="x"'])(
    '%j is hidden from Fastify and kept for the API',
    (type) => {
      const request = requestWith(type)
      tolerateContentType(request)
      expect(request.headers['content-type']).toBe('application/octet-stream')
      expect(contentTypeOf(request)).toBe(type)
    },
  )

  test('a missing one stays missing', () => {
    const request = requestWith(undefined)
    tolerateContentType(request)
    expect(request.headers).toEqual({})
    expect(contentTypeOf(request)).toBeUndefined()
  })
})

describe('behaviour/program#http: request targets (RFC 9112 section 3.2)', () => {
  test.each([
    ['/v1/kv/a?list=true', '/v1/kv/a?list=true'],
    ['/http://mock.test/a', '/http://mock.test/a'],
    ['http://mock.test/v1/kv/a', '/v1/kv/a'],
    ['HTTPS://[::1]:4600/v1/kv?list=true', '/v1/kv?list=true'],
    ['http://mock.test', '/'],
    ['http://mock.test?help=1', '/?help=1'],
    ['http://mock.test//v1', '//v1'],
    ['*', '*'],
    ['mock.test:443', 'mock.test:443'],
    ['', ''],
  ])('%j becomes %j', (target, expected) => {
    expect(originForm(target)).toBe(expected)
  })
})
