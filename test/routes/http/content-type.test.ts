import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { contentTypeOf, tolerateContentType } from '../../../routes/http/content-type.ts'

/** A request with that content type, as Node hands it on. */
function requestWith(type: string | undefined): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  if (type !== undefined) request.headers['content-type'] = type
  return request
}

describe('DESIGN section 3: content types are for the API to judge', () => {
  test.each([
    'application/json',
    'application/merge-patch+json',
    'Application/JSON; charset=utf-8',
    'text/plain;charset=UTF-8',
  ])('%j goes to Fastify as it is', (type) => {
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

  test('none stays none', () => {
    const request = requestWith(undefined)
    tolerateContentType(request)
    expect(request.headers).toEqual({})
    expect(contentTypeOf(request)).toBeUndefined()
  })
})
