import { EventEmitter } from "events";
import type { Logger } from "./logger";

export const DEFAULT_TIMEOUT_MS = 30_000;

/** What a caller can choose. */
export interface ClientOptions {
  baseUrl: string;
  timeoutMs?: number;
  logger?: Logger;
}

export type Handler<T> = (value: T) => void | Promise<void>;

export enum State {
  Idle = "idle",
  Running = "running",
  Closed = "closed",
}

export class HttpError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/**
 * Sends requests one after another and retries those that fail.
 */
export class Client extends EventEmitter {
  private state = State.Idle;
  private readonly queue: Array<() => Promise<void>> = [];

  constructor(private readonly options: ClientOptions) {
    super();
  }

  get isClosed(): boolean {
    return this.state === State.Closed;
  }

  async get<T>(path: string): Promise<T> {
    return this.request<T>("GET", path);
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return this.request<T>("POST", path, body);
  }

  private async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    try {
      const response = await fetch(new URL(path, this.options.baseUrl), {
        method,
        body: body === undefined ? undefined : JSON.stringify(body),
        headers: { "content-type": "application/json" },
        signal: controller.signal,
      });
      if (!response.ok) {
        throw new HttpError(response.status, `${method} ${path} failed`);
      }
      return (await response.json()) as T;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.state = State.Closed;
    this.emit("closed");
  }
}

export const withClient = async <T>(options: ClientOptions, use: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client(options);
  try {
    return await use(client);
  } finally {
    client.close();
  }
};
