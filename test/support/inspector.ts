import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { createUnderstudy, type EmbeddedWorld, type Understudy } from '../../src/embedding/index.ts'
import { browserTimeout, type ObservedPage, observePage, openBrowser } from './browser.ts'

/** World of an inspector test, with functions that open pages about it. */
export interface InspectorTest {
  readonly understudy: Understudy
  /** Address of the server. */
  readonly url: string
  readonly world: EmbeddedWorld
  /** Sends a request to an API of the world as root. Returns the parsed body, if it is JSON. */
  readonly ask: (method: string, path: string, payload?: object) => Promise<unknown>
  /** Opens the inspector's page about the world; `place` is appended to the address of the page. */
  readonly open: (place?: string, options?: BrowserContextOptions) => Promise<Page>
  /** Opens any address. The test must check the page for problems. */
  readonly openAt: (address: string, options?: BrowserContextOptions) => Promise<ObservedPage>
}

/**
 * Starts one server and one browser for a test file. Returns a function that makes a test with a
 * world of its own.
 */
export function inspector(worldOptions: object = {}) {
  let browser: Browser
  let understudy: Understudy
  let url = ''
  let worlds = 0
  beforeAll(async () => {
    understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', seed: 'inspector' })
    ;[browser, url] = await Promise.all([openBrowser(), understudy.listen()])
  }, browserTimeout)
  afterAll(async () => {
    await browser.close()
    await understudy.close()
  })

  /** Returns a test that has a world of its own and fails if its pages had problems. */
  return (work: (inspectorTest: InspectorTest) => Promise<void>) => async () => {
    worlds += 1
    const id = `w${worlds}`
    const world = understudy.createWorld({ id, ...worldOptions })
    const pages: ObservedPage[] = []
    const mistakes: (readonly string[])[] = []
    const openAt: InspectorTest['openAt'] = async (address, options) => {
      const opened = await observePage(browser, address, options)
      pages.push(opened)
      return opened
    }
    const ask: InspectorTest['ask'] = async (method, path, payload) => {
      const headers = { 'x-secrets-token': 'root', 'content-type': 'application/json' }
      const body = payload === undefined ? {} : { payload: JSON.stringify(payload) }
      const reply = await world.inject({ method, url: path, headers, ...body })
      return /^[{[]/.test(reply.body) ? reply.json() : undefined
    }
    const open: InspectorTest['open'] = async (place = '', options = {}) => {
      const opened = await openAt(`${url}/_world/${id}/_mock/ui${place}`, options)
      mistakes.push(opened.problems)
      return opened.page
    }
    try {
      await work({ understudy, url, world, ask, open, openAt })
      expect(mistakes.flat()).toEqual([])
    } finally {
      for (const { close } of pages) await close()
    }
  }
}
