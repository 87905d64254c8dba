# The query function as a container image, with response streaming. Build it from an unpacked bundle:
#   geosmin package --out function.zip && unzip -q function.zip -d bundle && docker build -t geosmin .
# Python and processor must be those of the bundle.
ARG PYTHON=3.11
FROM python:${PYTHON}-slim-bookworm
WORKDIR /var/task
COPY bundle/ /var/task/
ENV PYTHONPATH=/var/task PYTHONUNBUFFERED=1
USER 65534
ENTRYPOINT ["python", "-m", "query_fn.runtime"]
