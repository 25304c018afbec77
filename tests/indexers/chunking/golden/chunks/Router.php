<?php

declare(strict_types=1);

namespace App\Http;

use App\Support\Container;
use InvalidArgumentException;

interface Handler
{
    public function handle(Request $request): Response;
}

/** Finds the handler of a request by method and path. */
final class Router
{
    private const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

    /** @var array<string, array<string, string>> */
    private array $routes = [];

    public function __construct(private Container $container)
    {
    }

    public function get(string $path, string $handler): self
    {
        return $this->add('GET', $path, $handler);
    }

    public function post(string $path, string $handler): self
    {
        return $this->add('POST', $path, $handler);
    }

    /**
     * Registers a route. Words in braces become parameters: /users/{id}.
     */
    public function add(string $method, string $path, string $handler): self
    {
        if (!in_array($method, self::METHODS, true)) {
            throw new InvalidArgumentException("unknown method $method");
        }
        $pattern = preg_replace('/\{(\w+)\}/', '(?P<$1>[^/]+)', $path);
        $this->routes[$method]["#^$pattern$#"] = $handler;

        return $this;
    }

    public function dispatch(Request $request): Response
    {
        foreach ($this->routes[$request->method()] ?? [] as $pattern => $handler) {
            if (preg_match($pattern, $request->path(), $found) === 1) {
                $parameters = array_filter($found, 'is_string', ARRAY_FILTER_USE_KEY);
                return $this->container->make($handler)->handle($request->with($parameters));
            }
        }

        return Response::notFound();
    }
}

function router(Container $container): Router
{
    return new Router($container);
}
