import { expect } from 'vitest'
import type { Reply } from '../secrets/secrets.ts'
import { type PlatformClient, type PlatformRequest, testsOfModule } from './platform.ts'
import { failure } from './platform-errors.ts'

/** Path of the test runs of the fresh world's module. */
export const runsPath = `${testsOfModule}/test-runs`

/** Error replies that tests expect most often (behaviour/platform#errors). */
export const notFound = failure(404)
export const unauthorized = failure(401)
export const invalidRun = failure(422, 'invalid run parameters')
export const notAllowed = { errors: [{ status: '409', title: 'transition not allowed' }] }

/** Returns a document that creates a test run. */
export function runDocument(attributes: object = {}, version?: string): object {
  const relationships = {
    'configuration-version': { data: { id: version, type: 'configuration-versions' } },
  }
  return {
    data: {
      type: 'test-runs',
      attributes,
      ...(version === undefined ? {} : { relationships }),
    },
  }
}

/**
 * Creates a test run of the fresh world's module. Returns its resource. Throws if the server
 * refuses the request.
 */
export async function createRun(
  client: PlatformClient,
  attributes: object = {},
  version?: string,
  options: PlatformRequest = {},
) {
  const reply = await client.post(runsPath, runDocument(attributes, version), options)
  expect(reply.status).toBe(201)
  return reply.body.data
}

/**
 * Creates a configuration version for test runs. Returns its resource. Throws if the server refuses
 * the request.
 */
export async function createVersion(client: PlatformClient, module = testsOfModule) {
  const reply = await client.post(`${module}/test-runs/configuration-versions`)
  expect(reply.status).toBe(201)
  return reply.body.data
}

/** Returns the path and query of an absolute address. */
export function localPart(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Uploads bytes without a token, as clients do. */
export function upload(
  client: PlatformClient,
  url: string,
  bytes: Buffer | string = 'some files',
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/octet-stream' },
): Promise<Reply> {
  return client.request('PUT', localPart(url), bytes, { token: null, headers })
}

/**
 * Creates a configuration version and uploads to it. Returns its id. Throws if the server refuses a
 * request.
 */
export async function uploadedVersion(client: PlatformClient, module = testsOfModule) {
  const version = await createVersion(client, module)
  expect((await upload(client, version.attributes['upload-url'])).status).toBe(200)
  return String(version.id)
}
