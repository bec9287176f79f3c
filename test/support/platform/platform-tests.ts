import { expect } from 'vitest'
import type { Reply } from '../secrets/secrets.ts'
import { type PlatformClient, type PlatformRequest, testsOfModule } from './platform.ts'
import { failure } from './platform-errors.ts'

/** Test runs of the fresh world's module. */
export const runsPath = `${testsOfModule}/test-runs`

/** The errors that tests meet most (behaviour/platform#errors). */
export const notFound = failure(404)
export const unauthorized = failure(401)
export const invalidRun = failure(422, 'invalid run parameters')
export const notAllowed = { errors: [{ status: '409', title: 'transition not allowed' }] }

/** A document that makes a run. */
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

/** Makes a run and gives its resource. */
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

/** Makes a configuration version and gives its resource. */
export async function createVersion(client: PlatformClient, module = testsOfModule) {
  const reply = await client.post(`${module}/test-runs/configuration-versions`)
  expect(reply.status).toBe(201)
  return reply.body.data
}

/** Where an absolute address leads in the same server. */
export function localPart(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Uploads bytes as clients do: without a token. */
export function upload(
  client: PlatformClient,
  url: string,
  bytes: Buffer | string = 'some files',
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/octet-stream' },
): Promise<Reply> {
  return client.request('PUT', localPart(url), bytes, { token: null, headers })
}

/** Makes a version, uploads to it and gives its id. */
export async function uploadedVersion(client: PlatformClient, module = testsOfModule) {
  const version = await createVersion(client, module)
  expect((await upload(client, version.attributes['upload-url'])).status).toBe(200)
  return String(version.id)
}
