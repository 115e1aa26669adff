# gcdlab as an image: docker build -t gcdlab . && docker run --rm gcdlab scenario singleton-race
FROM swift:6.3 AS build
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /gcdlab
COPY . .
RUN make build

# The binary is linked statically: it needs a C library's files for nothing but its locale.
FROM debian:trixie-slim
COPY --from=build /gcdlab/.build/release/gcdlab /usr/local/bin/gcdlab
ENV LC_ALL=C.UTF-8
ENTRYPOINT ["gcdlab"]
CMD ["smoke"]
