import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { InspectorFile } from '../routes/control/inspector.ts'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** Beside the built program; seen from the sources where a build has put it. */
const places = ['./inspector/', '../dist/src/inspector/']

/** Reads the inspector as it was built; none of its files where it was not (behaviour/program#inspector). */
export function readInspector(): ReadonlyMap<string, InspectorFile> {
  for (const place of places) {
    const found = filesIn(new URL(place, import.meta.url))
    if (found.size > 0) return found
  }
  return new Map()
}

/** Whether the inspector was built; reads none of it. */
export function hasInspector(): boolean {
  return places.some((place) => namesIn(new URL(place, import.meta.url)).length > 0)
}

function filesIn(folder: URL): ReadonlyMap<string, InspectorFile> {
  return new Map(
    namesIn(folder).flatMap((name) => {
      const type = types[name.slice(name.lastIndexOf('.') + 1)]
      return type === undefined ? [] : [[name, fileOf(new URL(name, folder), type)] as const]
    }),
  )
}

function fileOf(place: URL, type: string): InspectorFile {
  const bytes = readFileSync(place)
  const digest = createHash('sha256').update(bytes).digest('base64url')
  return { type, bytes, etag: `"${digest.slice(0, 22)}"` }
}

function namesIn(folder: URL): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
