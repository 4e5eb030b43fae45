"""The gRPC generator of grpcio-tools as a plugin that buf can call; the package has it only inside its own protoc.

Reads a CodeGeneratorRequest from standard input and writes a CodeGeneratorResponse to standard output.
"""

import pathlib
import sys
import tempfile

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder, "out")
    out.mkdir()
    files = pathlib.Path(folder, "files.binpb")
    files.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
    code = protoc.main(["", f"--descriptor_set_in={files}", f"--grpc_python_out={out}", *request.file_to_generate])
    if code != 0:
        response.error = "grpc_python ended with an error"
    for path in sorted(out.rglob("*.py")):
        response.file.add(name=path.relative_to(out).as_posix(), content=path.read_text())
sys.stdout.buffer.write(response.SerializeToString())
